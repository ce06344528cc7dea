public import StoreContract

extension PostgresStore {
  /// Executes a save within one transaction, and calls `beforeCommit` at its end.
  ///
  /// A fixed number of statements, however many objects: one for each entity and kind of change, for
  /// changes one for each set of changed properties, and some for each relationship with a join table.
  /// - Throws: `StoreError`: `conflict`, `notUnique`, `invalidValue` for a text with U+0000, `readOnly`,
  ///   `busy`, `diskFull`, `serverUnreachable` with nothing saved; `outcomeUnknown` where the connection was
  ///   lost during the commit and the server cannot be asked. What `beforeCommit` throws; nothing is saved.
  public func save(_ save: SaveChangesRequest, beforeCommit: () throws -> Void) throws {
    try checkWritable()
    let opened = try open
    let programs = save.metadata.map(StoreMetadata.programs)
    var transaction: Int64?
    do {
      try opened.pool.write { connection in
        var writer = ServerSave(connection, opened)
        transaction = try writer.begin(save.locked, signature: signature)
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
        try beforeCommit()
      }
    } catch let failure as CommitFailure {
      try settle(failure, transaction, CommitToken(save), opened)
    } catch let broken as BrokenUniqueness {
      throw try broken.error(of: save, in: self)
    }
    if let programs { setPrograms(programs) }
  }

  /// Decides a commit whose answer was lost, by the status of its transaction.
  private func settle(
    _ failure: CommitFailure, _ transaction: Int64?, _ token: CommitToken?, _ opened: Opened
  ) throws {
    guard failure.error.isConnectionLost, let transaction else { throw failure.error.storeError }
    let status = try? opened.pool.read { connection in
      try connection.run("SELECT pg_xact_status($1::text::xid8)", [.text(String(transaction))]).text(0, 0)
    }
    switch status {
    case "committed": return
    case "aborted": throw failure.error.storeError
    default:
      throw StoreError(
        .outcomeUnknown,
        "the connection was lost while the save was committed: whether it is there shows when the server"
          + " answers again; read what it changed then", cause: failure.error)
    }
  }
}
