public import Foundation

extension SQLCipherStore {
  /// Another number each time another connection than this store's own has committed to the file.
  ///
  /// Waits for a save that is under way. Not among the statements counted.
  public var remoteChangeCount: Int64? {
    get throws {
      if isSnapshot { return nil }
      let pool = try open.pool
      return try translating(path) { try pool.foreignChangeCount() }
    }
  }

  /// The file and its log, to which every commit goes first.
  public var remoteChangeFiles: [URL] {
    isSnapshot ? [] : [URL(fileURLWithPath: path), URL(fileURLWithPath: path + "-wal")]
  }
}
