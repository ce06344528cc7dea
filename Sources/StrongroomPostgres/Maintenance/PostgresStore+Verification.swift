public import StoreContract

extension PostgresStore: VerifiableStore {
  /// Looks whether the tables have what the store writes: each row of an entity, and each relationship to an
  /// object of its destination.
  ///
  /// The server's tables can be changed by others. Values are looked at where they are read. Two statements
  /// for each table and one for each to-one, which read whole tables, and two before.
  /// - Throws: `StoreError`: `fileDamaged` with the table and the number of the first object in which
  ///   something is found, `schemaMismatch` for a table without its key; `modelMismatch` where another
  ///   program has moved the store to another version of its model; `serverUnreachable`.
  public func verify() throws {
    let opened = try open
    try reading {
      try opened.pool.readMoment { connection in
        // A table that a migration makes anew would be empty in the moment.
        try connection.execute("LOCK TABLE _store IN ACCESS SHARE MODE")
        try ServerMetadata(connection: connection).check(version: opened.schema.version)
        try ServerVerification(connection, opened.schema).run()
      }
    }
  }
}
