import CipherDatabase
import Foundation
import StoreContract

extension WholeFileAccess {
  /// Copies a store that is locked exclusively, and replaces it by the copy.
  /// - Returns: The copy's size in bytes.
  func rewrite(
    _ format: CipherFormat, _ progress: @escaping @Sendable (StoreProgress) -> Void
  ) throws -> Int {
    try checkPages(progress)
    let new = UnfinishedCopy.path(beside: path)
    defer { File.removeDatabase(new) }
    let target = StoreCipher(store: store, key: key, format: format)
    let old = try translating(path) {
      try Export.copy(
        connection, to: new, key: target.spec, format: format, progress: StoreProgress.copying(progress))
      return try Self.counts(connection)
    }
    try Self.prove(new, target, progress)
    let size = try translating(path) {
      var options = ConnectionOptions.ofStore
      options.format = format
      let copy = try Connection(path: new, key: target.spec, options: options)
      defer { copy.close() }
      guard try Self.counts(copy) == old else {
        throw CipherError(.ioError, "the copy has other numbers of rows than the store")
      }
      return copy.file.size
    }
    try replace(with: new)
    return size
  }

  /// Gives the file system back what a migration has freed, where that is much: half of the
  /// file, and a mebibyte at least.
  ///
  /// A migration that copies all rows leaves less, which new rows fill: writing the file once more takes
  /// as long as the migration.
  /// - Returns: Whether another file has the store's name now.
  func giveBackFreePages() throws -> Bool {
    let (free, all) = try translating(path) {
      try connection.checkpoint()
      return (try connection.pageCount("freelist_count"), try connection.pageCount("page_count"))
    }
    guard free * 4096 >= 1 << 20, free * 2 >= all else { return false }
    _ = try rewrite(format) { _ in }
    return true
  }

  /// The number of rows of every table.
  private static func counts(_ connection: Connection) throws -> [String: Int64] {
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

extension Connection {
  /// - `pragma`: `page_count` or `freelist_count`.
  func pageCount(_ pragma: String) throws -> Int { Int(try text("PRAGMA \(pragma)") ?? "") ?? 0 }
}
