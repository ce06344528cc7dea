public import StoreContract

extension PostgresStore: VerifiableStore {
  /// Looks whether the tables have what the store writes: each row of an entity, and each relationship to an
  /// object of its destination.
  ///
  /// The server's tables can be changed by others. Values are looked at where they are read. Two statements
  /// for each table and one for each to-one, which read whole tables.
  /// - Throws: `StoreError`: `fileDamaged` with the table and the number of the first object in which
  ///   something is found, `schemaMismatch` for a table without its key; `serverUnreachable`.
  public func verify() throws {
    let opened = try open
    try reading {
      try opened.pool.readMoment { try ServerVerification($0, opened.schema).run() }
    }
  }
}
