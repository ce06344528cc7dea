import CipherDatabase
import Foundation
import StoreContract
import StoreKeyring

/// A connection of its own to a store that work on the whole file is done with.
struct StoreAccess {
  let path: String
  let store: UUID
  let key: StoreKey
  let format: CipherFormat
  let connection: Connection

  /// Opens a store with the key its vaults hold.
  /// - Throws: as `SQLCipherStore.loadMetadata()`.
  static func open(_ description: PersistentStoreDescription) async throws -> StoreAccess {
    let path = description.url?.path ?? ""
    let state = try StoreFile.state(path)
    guard case .store(let store) = state else { throw state.refusal(path) }
    var search = KeySearch(description, store: store)
    let (connection, found) = try await search.first { found -> Connection in
      var options = ConnectionOptions.ofStore
      options.format = found.format
      options.busyTimeoutMilliseconds = description.busyTimeoutMilliseconds
      return try Connection(path: path, key: CipherKeySpec(found.key, store: store), options: options)
    }
    return StoreAccess(path: path, store: store, key: found.key, format: found.format, connection: connection)
  }

  /// Keeps everybody else out, moves the log into the file, and makes sure that every page is whole: what is about to read
  /// all pages should not find a damaged one half-way.
  /// - Throws: `StoreError`: `busy` when another connection has the store open, `fileDamaged` with the pages' numbers.
  func lockWhole(_ progress: @Sendable (StoreProgress) -> Void) throws {
    try translating(path) {
      try connection.lockExclusively()
      try connection.checkpoint()
    }
    try Self.checkPages(path, store, key, format, progress)
  }

  /// - Throws: `StoreError`: `fileDamaged` with the first pages' numbers, `cancelled`.
  static func checkPages(
    _ path: String, _ store: UUID, _ key: StoreKey, _ format: CipherFormat,
    _ progress: @Sendable (StoreProgress) -> Void
  ) throws {
    let damaged = try damagedPages(path, store, key, format, limit: 10, progress)
    if damaged.isEmpty { return }
    throw StoreError(
      .fileDamaged,
      "pages \(damaged.map(String.init).joined(separator: ", ")) of \(path) are damaged; restore a copy")
  }

  static func damagedPages(
    _ path: String, _ store: UUID, _ key: StoreKey, _ format: CipherFormat, limit: Int,
    _ progress: @Sendable (StoreProgress) -> Void
  ) throws -> [UInt32] {
    let salt = withUnsafeBytes(of: store.uuid) { Array($0) }
    return try translating(path) {
      let authenticator = try key.withUnsafeBytes {
        try PageAuthenticator(key: $0, salt: salt, format: format.pages)
      }
      return try PageScan.damagedPages(path, authenticator, limit: limit) { done, total in
        progress(StoreProgress(step: .checking, done: done, total: total))
        if Task.isCancelled { throw CipherError(.interrupted, "cancelled") }
      }
    }
  }

  /// Opens a file with a key and reads all of it: page by page against the MACs, then as a database.
  /// - Parameter journal: `rollback` leaves no log beside a copy; `writeAhead` is for a store that others may open.
  /// - Throws: `StoreError`.
  static func prove(
    _ path: String, _ store: UUID, _ key: StoreKey, _ format: CipherFormat,
    journal: ConnectionOptions.Journal = .rollback,
    _ progress: @Sendable (StoreProgress) -> Void
  ) throws {
    try checkPages(path, store, key, format, progress)
    try translating(path) {
      var options = ConnectionOptions.ofStore
      options.format = format
      options.journal = journal
      let connection = try Connection(path: path, key: CipherKeySpec(key, store: store), options: options)
      defer { connection.close() }
      let findings = try connection.integrityCheck()
      if !findings.isEmpty {
        throw CipherError(.damagedPage, "SQLite finds \(findings.count) faults in \(path)")
      }
    }
  }

  /// A name beside a file that nothing has.
  static func temporary(_ path: String) -> String {
    "\(path).\(UUID().uuidString.prefix(8).lowercased()).new"
  }
}
