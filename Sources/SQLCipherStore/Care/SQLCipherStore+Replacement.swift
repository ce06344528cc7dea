import CipherDatabase
import Foundation
public import StoreContract
import StoreKeyring

extension SQLCipherStore {
  /// Moves a store to another cipher format, by copying it into a new file that takes its place when it was read whole.
  /// The key and the UUID stay. Nobody may have the store open meanwhile.
  /// - Returns: Whether there was anything to do.
  /// - Throws: `StoreError`: `cipherFormat` when this library does not know the format, `busy`, `fileDamaged`, `cancelled`,
  ///   `diskFull`; the store is then as it was.
  @discardableResult
  public static func convert(
    _ description: PersistentStoreDescription, to format: StoreCipherFormat,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws -> Bool {
    let format: CipherFormat = format == .version3 ? .version3 : .version4
    guard format.isAvailable else {
      throw StoreError(
        .cipherFormat, "this libsqlcipher knows no files of SQLCipher 4; convert where version 4 is installed"
      )
    }
    let access = try await StoreAccess.open(description)
    defer { access.connection.close() }
    guard access.format != format else { return false }
    try rewrite(access, format, progress)
    return true
  }

  /// Gives back the room of deleted objects, by copying the store into a new file that takes its place when it was read
  /// whole. Nobody may have the store open meanwhile.
  /// - Returns: The file's size before and after, in bytes.
  /// - Throws: as `convert(_:to:progress:)`.
  @discardableResult
  public static func compact(
    _ description: PersistentStoreDescription,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws -> (before: Int, after: Int) {
    let access = try await StoreAccess.open(description)
    defer { access.connection.close() }
    let before = try size(access.path)
    try rewrite(access, access.format, progress)
    return (before, try size(access.path))
  }

  private static func size(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
  }

  private static func rewrite(
    _ access: StoreAccess, _ format: CipherFormat, _ progress: @escaping @Sendable (StoreProgress) -> Void
  ) throws {
    try access.lockWhole(progress)
    let new = StoreAccess.temporary(access.path)
    defer { File.removeDatabase(new) }
    try translating(access.path) {
      // Without a log nothing of the old file is left beside the new one, nor removed there when the old one closes.
      guard try access.connection.text("PRAGMA journal_mode = DELETE") == "delete" else {
        throw CipherError(.busy, "the log could not be closed")
      }
      let spec = try CipherKeySpec(access.key, store: access.store)
      try Export.copy(access.connection, to: new, key: spec, format: format, progress: copying(progress))
    }
    try StoreAccess.prove(new, access.store, access.key, format, progress)
    try translating(access.path) {
      let old = try counts(access.connection)
      var options = ConnectionOptions.ofStore
      options.format = format
      options.journal = .rollback
      let copy = try Connection(
        path: new, key: CipherKeySpec(access.key, store: access.store), options: options)
      defer { copy.close() }
      guard try counts(copy) == old else {
        throw CipherError(.ioError, "the copy has other numbers of rows than the store")
      }
    }
    try translating(access.path) {
      try File.sync(new)
      // The old file is locked until its connection closes; whoever waits for it finds it replaced and opens the new one.
      try File.replace(access.path, with: new)
    }
  }

  static func copying(_ progress: @escaping @Sendable (StoreProgress) -> Void) -> Export.Progress {
    { done, total in
      progress(StoreProgress(step: .copying, done: done, total: total))
      return !Task.isCancelled
    }
  }

  /// The number of rows of every table.
  static func counts(_ connection: Connection) throws -> [String: Int64] {
    let names = try connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    var result: [String: Int64] = [:]
    var tables: [String] = []
    while try names.step() { tables.append(names.text(0)) }
    for table in tables {
      let statement = try connection.prepare("SELECT count(*) FROM \(table.quoted)")
      result[table] = try statement.step() ? statement.int64(0) : 0
    }
    return result
  }
}
