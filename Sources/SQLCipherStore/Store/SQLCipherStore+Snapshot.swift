public import StoreContract

extension SQLCipherStore {
  /// The store at this moment, over a connection of its own that keeps a read transaction. Two statements, and the opening
  /// of a connection. While it is open the write-ahead log grows.
  public func snapshot() throws -> any IncrementalStore {
    var now = try open
    now.pool = try translating(path) { try now.pool.pinned() }
    return SQLCipherStore(momentOf: self, now)
  }
}
