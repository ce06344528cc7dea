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
    let access = try await StoreAccess.open(description, for: .writing)
    defer { access.close() }
    guard access.format != format else { return false }
    try access.takeAlone()
    _ = try rewrite(access, format, progress)
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
    let access = try await StoreAccess.open(description, for: .writing)
    defer { access.close() }
    try access.takeAlone()
    let before = access.file.size
    return (before, try rewrite(access, access.format, progress))
  }

  /// Copies a store that is taken alone, and puts the copy in its place.
  /// - Returns: The copy's size in bytes.
  private static func rewrite(
    _ access: StoreAccess, _ format: CipherFormat, _ progress: @escaping @Sendable (StoreProgress) -> Void
  ) throws -> Int {
    try access.checkPages(progress)
    let new = StoreAccess.temporary(access.path)
    defer { File.removeDatabase(new) }
    let spec = try CipherKeySpec(access.key, store: access.store)
    let old = try translating(access.path) {
      try Export.copy(access.connection, to: new, key: spec, format: format, progress: copying(progress))
      return try counts(access.connection)
    }
    try StoreAccess.prove(new, access.store, access.key, format, progress)
    let size = try translating(access.path) {
      var options = ConnectionOptions.ofStore
      options.format = format
      let copy = try Connection(path: new, key: spec, options: options)
      defer { copy.close() }
      guard try counts(copy) == old else {
        throw CipherError(.ioError, "the copy has other numbers of rows than the store")
      }
      return copy.file.size
    }
    try access.replace(with: new)
    return size
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
