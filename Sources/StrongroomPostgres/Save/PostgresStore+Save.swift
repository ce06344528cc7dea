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
    try checkWritable()
    let opened = try open
    let programs = save.metadata.map(StoreMetadata.programs)
    var transaction: Int64?
    var place: PersistentHistoryToken.Position?
    do {
      try opened.pool.write { connection in
        var writer = ServerSave(connection, opened)
        var recorder = ServerHistoryRecorder(connection, opened, self)
        transaction = try writer.begin(save.locked, signature: signature)
        if description.tracksHistory { try recorder.willWrite(save) }
        try writer.delete(save.deleted)
        try writer.update(save.updated)
        try writer.throwConflicts()
        try writer.checkExisting(save.existing)
        try writer.insert(save.inserted)
        try writer.throwConflicts()
        try writer.checkDeletions(save.deleted)
        for changes in save.relationshipChanges { try writer.apply(changes) }
        try DerivedValues(connection, opened, self).write(save)
        if let programs { try ServerMetadata(connection: connection).write(programs: programs) }
        try writer.checkUniqueness()
        // Last, since other saves wait from here on.
        place = description.tracksHistory ? try recorder.didWrite(save, description.historyLimits) : nil
        try beforeCommit()
      }
    } catch let failure as CommitFailure {
      guard failure.error.isConnectionLost, let transaction else { throw failure.error.storeError }
      try LostCommit(
        transaction: transaction, place: place, token: CommitToken(save), error: failure.error
      ).settle(opened)
    } catch let broken as BrokenUniqueness {
      throw try broken.error(of: save, in: self)
    }
    if let programs { setPrograms(programs) }
  }

  /// Whether a save whose outcome was unknown is in the store.
  ///
  /// One statement. To be asked before anything else is saved.
  /// - Throws: `StoreError`: `notFound` when the token is another store's; `serverUnreachable`.
  public func wasSaved(_ token: CommitToken) throws -> Bool {
    let opened = try open
    guard token.store == opened.identifier, let entity = model.entity(named: token.entityName) else {
      throw StoreError(.notFound, "the token is of another store")
    }
    let table = opened.schema.table(entity).name.quoted
    let rows = try opened.pool.read {
      try $0.run("SELECT _version FROM \(table) WHERE _id = $1", [.number(token.reference)])
    }
    return token.isMet(by: rows.count == 0 ? nil : rows.number(0, 0))
  }
}
