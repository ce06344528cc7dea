public import StoreContract

extension PostgresStore {
  /// Executes a save within one transaction, in one round trip.
  ///
  /// The server begins with what is sent first while the rest is composed, and looks itself whether it finds
  /// what is expected; where it finds something else, the save is executed as `save(_:beforeCommit:)` does.
  /// So it is where there is no history, and for what is written of the metadata. Where values are sealed, it
  /// is a round trip more. At every 64th transaction the history's oldest are deleted in another.
  /// - Throws: As `save(_:beforeCommit:)`.
  public func save(_ save: SaveChangesRequest) throws {
    guard description.tracksHistory, save.metadata == nil else { return try self.save(save) {} }
    let done: SaveTransaction
    do {
      done = try writing(isExpecting: true, inOneTrip: isOneTrip(save)) { transaction in
        try transaction.begin(save.locked)
        try transaction.write(save)
        try transaction.finish()
        return transaction
      }
    } catch is Unexpected {
      return try self.save(save) {}
    } catch let error as StoreError where (error.cause as? ServerError)?.isOfStatement == true {
      return try self.save(save) {}
    }
    if let number = done.place?.transactionNumber, ServerHistory.isPurged(after: number) {
      purgeHistory(after: number)
    }
  }

  /// Whether nothing is to be read for it, or copied, and no uniqueness is to be checked: a save may have to
  /// wait for others then, and does so before they have to wait for it.
  private func isOneTrip(_ save: SaveChangesRequest) throws -> Bool {
    let opened = try open
    return save.deleted.isEmpty && save.relationshipChanges.allSatisfy(\.isWrittenUnread)
      && save.inserted.count < ServerSave.fewestCopied && opened.sealing == nil && opened.recorded.isEmpty
      && opened.schema.derivedAttributes.isEmpty && !opened.schema.hasUniqueObjects(save)
  }

  /// Deletes what is beyond the limits of the history, unless others are waited for.
  ///
  /// The save before it is done: what is not deleted now is the next time.
  private func purgeHistory(after number: Int64) {
    guard let opened = try? open else { return }
    try? opened.pool.write(locking: "SET LOCAL lock_timeout TO '100ms'") { connection in
      connection.add(ServerLock.ofSave)
      try ServerHistory(connection, opened).purge(description.historyLimits, after: number)
    }
  }

  /// Executes a save within one transaction, and calls `beforeCommit` at its end.
  ///
  /// A fixed number of statements, however many objects: one for each entity and kind of change, for
  /// changes one for each set of changed properties, and some for each relationship with a join table. They
  /// are sent in one round trip, and the commit in another; 500 new rows of an entity, or links of a
  /// relationship, are copied in two more.
  /// - Throws: `StoreError`: `conflict`, `notUnique`, `invalidValue` for a text with U+0000, `readOnly`,
  ///   `busy`, `diskFull`, `serverUnreachable` with nothing saved; `outcomeUnknown` where the connection was
  ///   lost during the commit and no server can be asked for `serverOutcomeTimeout` seconds. What
  ///   `beforeCommit` throws; nothing is saved.
  public func save(_ save: SaveChangesRequest, beforeCommit: () throws -> Void) throws {
    let programs = save.metadata.map(StoreMetadata.programs)
    try writing { transaction in
      try transaction.begin(save.locked)
      try transaction.write(save)
      if let programs { try ServerMetadata(connection: transaction.connection).write(programs: programs) }
      try transaction.finish()
      try ServerPool.outsideOfTransaction(beforeCommit)
    }
    if let programs { setPrograms(programs) }
  }

  /// Runs a transaction of saves; one whose commit was not answered is settled, and begun again where the
  /// server has answered nothing of it.
  func writing<R>(
    isExpecting: Bool = false, inOneTrip: Bool = false, isAgain: Bool = false,
    _ body: (SaveTransaction) throws -> R
  ) throws -> R {
    try checkWritable()
    let opened = try open
    var written: (transaction: SaveTransaction, value: R)?
    do {
      // Where the server looks itself, the save's first statement takes the lock.
      let lock = isExpecting && opened.sealing == nil ? nil : ServerLock.ofSave
      func write(_ connection: ServerConnection) throws -> (SaveTransaction, R) {
        let transaction = SaveTransaction(connection, opened, self, isExpecting: isExpecting)
        let all = (transaction, try body(transaction))
        written = all
        return all
      }
      let (transaction, value) = try opened.pool.write(
        inOneTrip ? .together : .locking(lock), planning: .forSaves, write)
      note(transaction.place, opened)
      return value
    } catch let failure as CommitFailure {
      guard let (transaction, value) = written, let lost = transaction.lostCommit(failure.error) else {
        throw failure.error.storeError
      }
      let outcome = try lost.settle(self)
      if outcome.isCommitted {
        note(outcome.place, opened)
        return value
      }
      if transaction.connection.isAnswered || isAgain { throw failure.error.storeError }
      return try writing(isExpecting: isExpecting, inOneTrip: inOneTrip, isAgain: true, body)
    } catch let broken as BrokenUniqueness {
      throw try broken.error(in: self)
    }
  }

  private func note(_ place: PersistentHistoryToken.Position?, _ opened: Opened) {
    guard let place else { return }
    see(place)
    HistoryReceipt.current?.note(place, in: opened.identifier)
  }

  /// Whether a save whose outcome was unknown is in the store.
  ///
  /// One that is not there does not come later. One transaction of up to six statements, which waits for
  /// saves in progress, and for the standbys that have to confirm commits; up to three statements where the
  /// store is open for reading. To be asked before anything else is saved.
  /// - Throws: `StoreError`: `notFound` when the token is another store's; `busy` where a save is in progress
  ///   for 30 seconds; `readOnly` where it is not there and the store is open for reading, since it may come;
  ///   `serverUnreachable`.
  public func wasSaved(_ token: CommitToken) throws -> Bool {
    let opened = try open
    let isReadOnly = description.isReadOnly
    let isMet =
      try isReadOnly
      ? opened.pool.read { try token.isMet(in: opened, $0, isFinal: false) }
      : settled { try token.isMet(in: opened, $0, isFinal: true) }
    guard let isMet else { throw StoreError(.notFound, "the token is of another store") }
    if isReadOnly, !isMet {
      throw StoreError(
        .readOnly,
        "the save is not there yet, and may come; ask with a store that is open for writing")
    }
    return isMet
  }

  /// Runs a read when no save is in progress: what it finds committed is also on the standbys that have to
  /// confirm commits, and what it does not find does not come.
  ///
  /// One statement more, in a transaction.
  func settled<R>(_ body: (ServerConnection) throws -> R) throws -> R {
    do {
      return try open.pool.write(locking: ServerLock.againstSaves) { connection in
        // The lock of a row is a write, whose commit waits for the standbys as well.
        try connection.run("SELECT last FROM _history FOR UPDATE")
        return try body(connection)
      }
    } catch let failure as CommitFailure { throw failure.error.storeError }
  }
}

extension CommitToken {
  /// Whether its save is stored; nil where it is another store's.
  ///
  /// Up to four statements.
  /// - `isFinal`: Whether it is to be refused from now on where it is not stored.
  fileprivate func isMet(
    in opened: PostgresStore.Opened, _ connection: ServerConnection, isFinal: Bool
  ) throws -> Bool? {
    guard store == opened.identifier, let entity = opened.schema.model.entity(named: entityName) else {
      return nil
    }
    if let record = record.flatMap(CommitRecord.init) {
      if try record.outcome(connection, isFinal: isFinal).isCommitted { return true }
      // The object may have its version from another's save, which only a whole history tells.
      if try record.isKnown(connection) { return false }
    }
    let table = opened.schema.table(entity).name.quoted
    let rows = try connection.run("SELECT _version FROM \(table) WHERE _id = $1", [.number(reference)])
    return isMet(by: rows.count == 0 ? nil : rows.number(0, 0))
  }
}

extension RelationshipChanges {
  /// Whether they are not copied, one statement writes them, and the entities of both ends are known: of all
  /// whose numbers are not new the save looks whether they are there.
  fileprivate var isWrittenUnread: Bool {
    removed.isEmpty && orders.isEmpty && inverseOrders.isEmpty && added.count < ServerSave.fewestCopied
      && !relationship.entity.root.hasSubentities && !relationship.destination.root.hasSubentities
  }
}
