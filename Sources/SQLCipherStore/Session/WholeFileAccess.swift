import CipherDatabase
import Foundation
import ObjectModel
import StoreContract
import StoreKeyring

/// The connection with which work on a whole file is done.
struct WholeFileAccess {
  enum Purpose {
    /// Changes no byte of the file, except that a log which others left is moved into it.
    case reading
    case writing
  }

  let file: DatabaseFile
  let cipher: StoreCipher
  let connection: Connection
  private let busyTimeout: Int

  var path: String { file.path }
  var store: UUID { cipher.store }
  var key: StoreKey { cipher.key }
  var format: CipherFormat { cipher.format }

  /// Opens a store with the key its vaults hold.
  /// - Throws: as `SQLCipherStore.loadMetadata()`.
  static func open(
    _ description: PersistentStoreDescription, for purpose: Purpose
  ) async throws -> WholeFileAccess {
    let (file, store) = try StoreFile.store(description)
    var search = KeySearch(description, file: file, store: store)
    let options = try Self.options(file, description, purpose)
    let (connection, cipher) = try await search.first { cipher -> Connection in
      try Connection(file, cipher, options)
    }
    return WholeFileAccess(file, cipher, connection, description)
  }

  /// Opens a store whose key is known.
  init(
    _ file: DatabaseFile, _ cipher: StoreCipher, _ description: PersistentStoreDescription
  ) throws {
    let options = try Self.options(file, description, .writing)
    let connection = try translating(file.path) { try Connection(file, cipher, options) }
    self.init(file.another(), cipher, connection, description)
  }

  private init(
    _ file: DatabaseFile, _ cipher: StoreCipher, _ connection: Connection,
    _ description: PersistentStoreDescription
  ) {
    self.file = file
    self.cipher = cipher
    self.connection = connection
    busyTimeout = description.busyTimeoutMilliseconds
  }

  private static func options(
    _ file: DatabaseFile, _ description: PersistentStoreDescription, _ purpose: Purpose
  ) throws -> ConnectionOptions {
    var options = ConnectionOptions.ofStore
    options.busyTimeoutMilliseconds = description.busyTimeoutMilliseconds
    options.label = description.logLabel
    options.observer = description.log?.observer
    if purpose == .reading {
      options.access = try StoreFile.access(file, isReadOnly: false)
      options.journal = .asIs
    }
    return options
  }

  /// Closes the connection, and unlocks the file where it was locked exclusively, even if this
  /// process uses it elsewhere.
  func close() {
    connection.close()
    file.shareAgain()
    file.release()
  }

  /// Keeps everybody else out until `close()`, in this process and in others, and SQLite's users
  /// that are not of this library.
  ///
  /// - Parameters:
  ///   - others: Uses of the file by this process beside this access's own two, whose owner waits
  ///     for this.
  ///   - givesWay: Whether to give up where another connection waits for the same.
  /// - Returns: False where it gave way to another connection that waits for the same.
  /// - Throws: `StoreError`: `busy` when another connection has the store open.
  @discardableResult
  func takeAlone(others: Int = 0, givesWay: Bool = false) throws -> Bool {
    try translating(path) {
      guard try file.takeAlone(own: 2 + others, waiting: busyTimeout, givesWay: givesWay) else {
        return false
      }
      try connection.lockExclusively()
      try connection.checkpoint()
      UnfinishedCopy.removeAbandoned(beside: path)
      return true
    }
  }

  /// Takes the store alone and makes sure that every page is whole: what is about to read all pages
  /// should not find a damaged one half-way.
  /// - Throws: `StoreError`: `busy` when another connection has the store open, `fileDamaged` with
  ///   the pages' numbers.
  func takeWhole(others: Int = 0, _ progress: @Sendable (StoreProgress) -> Void) throws {
    try takeAlone(others: others)
    try checkPages(progress)
  }

  /// Replaces the store by a proven copy.
  ///
  /// The connection is closed first, so that SQLite has no descriptor of the former file when the
  /// new one gets its name. The exclusive lock rules out other processes.
  func replace(with new: String) throws {
    try translating(path) {
      try file.giveOwnership(to: new)
      // Without a log nothing of the former file is left beside the new one.
      guard try connection.text("PRAGMA journal_mode = DELETE") == "delete" else {
        throw CipherError(.busy, "the log could not be closed")
      }
      connection.close()
      try File.replace(path, with: new)
    }
  }

  /// Makes sure that every page is whole, before what is read is vouched for: SQLCipher reads a
  /// page of nothing but zeros as one.
  /// - Throws: `StoreError`: `fileDamaged` with the first pages' numbers, `cancelled`.
  func checkPages(_ progress: @Sendable (StoreProgress) -> Void) throws {
    do {
      try Self.checkPages(file, cipher, progress)
    } catch let error as StoreError where error.code == .fileDamaged {
      // A page that is in the log may be torn in the file, where moving it was interrupted.
      try? connection.checkpointPassively()
      try Self.checkPages(file, cipher, progress)
    }
  }

  static func checkPages(
    _ file: DatabaseFile, _ cipher: StoreCipher, isCancellable: Bool = true,
    _ progress: @Sendable (StoreProgress) -> Void
  ) throws {
    let damaged = try damagedPages(file, cipher, limit: 10, isCancellable: isCancellable, progress)
    if damaged.isEmpty { return }
    throw StoreError(
      .fileDamaged,
      "pages \(damaged.map(String.init).joined(separator: ", ")) of \(file.path) are damaged; restore a copy")
  }

  static func damagedPages(
    _ file: DatabaseFile, _ cipher: StoreCipher, limit: Int, isCancellable: Bool = true,
    _ progress: @Sendable (StoreProgress) -> Void
  ) throws -> [UInt32] {
    try translating(file.path) {
      let authenticator = try cipher.authenticator()
      return try PageScan.damagedPages(file, authenticator, limit: limit, isWrittenTo: true) { done, total in
        progress(StoreProgress(step: .checking, done: done, total: total))
        if isCancellable, Task.isCancelled { throw CipherError(.interrupted, "cancelled") }
      }
    }
  }

  /// Opens a new file with a key and reads all of it: page by page against the MACs, then as a
  /// database.
  ///
  /// - Parameters:
  ///   - path: The new file.
  ///   - cipher: Its key and format.
  ///   - journal: `rollback` leaves no log beside a copy; `writeAhead` is for a store that others
  ///     may open.
  ///   - progress: Called from time to time with the pages read.
  /// - Throws: `StoreError` when a page is damaged or the file is no database.
  static func prove(
    _ path: String, _ cipher: StoreCipher, journal: ConnectionOptions.Journal = .rollback,
    _ progress: @Sendable (StoreProgress) -> Void
  ) throws {
    let file = try translating(path) { try DatabaseFile(path) }
    defer { file.release() }
    try prove(file, cipher, journal: journal, isCancellable: true, progress)
  }

  /// As above, of a rotated file that the caller holds: what is done must be proven, whether or not
  /// its task is cancelled.
  static func proveRotated(
    _ file: DatabaseFile, _ cipher: StoreCipher, _ progress: @Sendable (StoreProgress) -> Void
  ) throws {
    try prove(file, cipher, journal: .writeAhead, isCancellable: false, progress)
  }

  private static func prove(
    _ file: DatabaseFile, _ cipher: StoreCipher, journal: ConnectionOptions.Journal, isCancellable: Bool,
    _ progress: @Sendable (StoreProgress) -> Void
  ) throws {
    try checkPages(file, cipher, isCancellable: isCancellable, progress)
    try translating(file.path) {
      var options = ConnectionOptions.ofStore
      options.journal = journal
      let connection = try Connection(file, cipher, options)
      defer { connection.close() }
      let issues = try connection.integrityCheck()
      if !issues.isEmpty {
        throw CipherError(.damagedPage, "SQLite finds \(issues.count.counted("error")) in \(file.path)")
      }
      try file.sync()
    }
  }
}

extension Connection {
  /// Opens a file whose key and format are known.
  convenience init(
    _ file: DatabaseFile, _ cipher: StoreCipher, _ options: ConnectionOptions
  ) throws {
    var options = options
    options.format = cipher.format
    try self.init(file: file, key: cipher.spec, options: options)
  }
}
