public import StoreContract

extension PostgresStore {
  /// Executes a save within one transaction, and calls `beforeCommit` at its end.
  ///
  /// A fixed number of statements, however many objects: one for each entity and kind of change, for
  /// changes one for each set of changed properties, and some for each relationship with a join table.
  /// - Throws: `StoreError`: `conflict`, `notUnique`, `invalidValue` for a text with U+0000, `readOnly`,
  ///   `busy`, `diskFull`, `serverUnreachable` with nothing saved; `outcomeUnknown` where the connection was
  ///   lost during the commit and the server cannot be asked for 20 seconds. What `beforeCommit` throws;
  ///   nothing is saved.
  public func save(_ save: SaveChangesRequest, beforeCommit: () throws -> Void) throws {
    let programs = save.metadata.map(StoreMetadata.programs)
    try writing { transaction in
      try transaction.begin(save.locked)
      try transaction.write(save)
      if let programs { try ServerMetadata(connection: transaction.connection).write(programs: programs) }
      try transaction.finish()
      try beforeCommit()
    }
    if let programs { setPrograms(programs) }
  }

  /// Runs a transaction of saves; one whose commit was not answered is settled.
  func writing<R>(_ body: (inout SaveTransaction) throws -> R) throws -> R {
    try checkWritable()
    let opened = try open
    var written: (transaction: SaveTransaction, value: R)?
    do {
      return try opened.pool.write(ServerLock.savingTransaction) { connection in
        var transaction = SaveTransaction(connection, opened, self)
        let value = try body(&transaction)
        written = (transaction, value)
        return value
      }
    } catch let failure as CommitFailure {
      guard failure.error.isConnectionLost, let (transaction, value) = written,
        let lost = transaction.lostCommit(failure.error)
      else { throw failure.error.storeError }
      try lost.settle(opened)
      return value
    } catch let broken as BrokenUniqueness {
      throw try broken.error(in: self)
    }
  }

  /// Whether a save whose outcome was unknown is in the store.
  ///
  /// One statement. To be asked before anything else is saved.
  /// - Throws: `StoreError`: `notFound` when the token is another store's; `serverUnreachable`.
  public func wasSaved(_ token: CommitToken) throws -> Bool {
    let opened = try open
    guard let isMet = try token.isMet(in: opened) else {
      throw StoreError(.notFound, "the token is of another store")
    }
    return isMet
  }
}

extension CommitToken {
  /// Whether its save is stored; nil where it is another store's.
  ///
  /// One statement.
  func isMet(in opened: PostgresStore.Opened) throws -> Bool? {
    guard store == opened.identifier, let entity = opened.schema.model.entity(named: entityName) else {
      return nil
    }
    let table = opened.schema.table(entity).name.quoted
    let rows = try opened.pool.read {
      try $0.run("SELECT _version FROM \(table) WHERE _id = $1", [.number(reference)])
    }
    return isMet(by: rows.count == 0 ? nil : rows.number(0, 0))
  }
}
