public import StoreContract

extension SQLCipherStore {
  /// A snapshot of the store, over a connection of its own that keeps a read transaction.
  ///
  /// Two statements, and the opening of a connection. While it is open the write-ahead log grows.
  public func snapshot() throws -> any IncrementalStore {
    let now = try open
    let session = try translating(path) { OpenSession(try now.pool.pinned(), now.session.cipher) }
    return SQLCipherStore(momentOf: self, now.with(session))
  }
}
