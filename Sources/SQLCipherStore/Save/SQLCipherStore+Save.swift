import CipherDatabase
import ObjectModel
public import StoreContract

extension SQLCipherStore {
  /// One transaction: removals, then changes, then new objects, then links, with one prepared
  /// statement per entity and kind (for changes: per entity and set of changed columns), run
  /// in key order: for many new rows and links together, otherwise once per object.
  /// - Throws: `conflict` when a row has another version than the one it was read with, `notUnique`
  ///   when a uniqueness constraint would break; nothing is changed then.
  private func write(
    _ save: SaveChangesRequest, in opened: Opened, beforeCommit: () throws -> Void
  ) throws {
    try checkWritable()
    let metadata = save.metadata.map(StoreMetadata.programs) ?? (save.isEmpty ? opened.metadata : nil)
    try opened.pool.write(withSmallCacheIf: save.hasLongRow) { connection in
      func write(clearing exchanged: [UpdatedObject], checking isSecond: Bool = false) throws {
        try connection.transaction(.immediate) {
          var writer = SaveWriter(connection: connection, opened: opened)
          try writer.check(save.locked)
          if isSecond {
            // A row that was changed elsewhere did not give its value up: report that conflict first.
            try writer.check(
              save.updated.map { LockedObject(objectID: $0.node.objectID, version: $0.node.version - 1) })
            try writer.throwConflicts()
          }
          var recorder = HistoryRecorder(connection, opened, historyLimits)
          if tracksHistory { try recorder.willWrite(save) }
          try writer.delete(save.deleted)
          if isSecond { try writer.throwConflicts() }
          try writer.clear(exchanged)
          try writer.update(save.updated)
          try writer.throwConflicts()
          try writer.checkExisting(save.existing)
          try writer.insert(save.inserted)
          try writer.throwConflicts()
          try writer.checkDeletions(save.deleted)
          for changes in save.relationshipChanges { try writer.apply(changes) }
          if tracksHistory { try recorder.didWrite(save) }
          if let metadata { try StoreTable(connection).write(metadata: metadata) }
          try beforeCommit()
        }
      }
      do {
        do {
          try write(clearing: [])
        } catch let error as StoreError where error.code == .notUnique {
          // Rows are checked one by one: two that exchange unique values give theirs up first.
          let exchanged = save.updated.filter {
            !$0.node.entity.uniqueFields.isDisjoint(with: $0.changedFields.elements)
          }
          if save.updated.isEmpty { throw error }
          try write(clearing: exchanged, checking: true)
        }
      } catch let error as CipherError where error.isOfCommit {
        try settle(connection, CommitToken(save), error)
      }
    }
    if let metadata { updateMetadata(metadata) }
  }
}

extension SQLCipherStore {
  /// Executes a save within one transaction, and calls `beforeCommit` at its end.
  /// - Throws: as a save does, and what `beforeCommit` throws; nothing is saved then.
  public func save(_ save: SaveChangesRequest, beforeCommit: () throws -> Void) throws {
    let opened = try open
    try translating(path) { try write(save, in: opened, beforeCommit: beforeCommit) }
  }

  /// Decides a commit that failed: its frames may lie whole in the log, where opening the store
  /// after a crash would find them.
  ///
  /// Another write overwrites these frames.
  /// - Throws: `outcomeUnknown` when the disk takes no other write either; else the failure, with
  ///   nothing saved.
  func settle(_ connection: Connection, _ token: CommitToken?, _ error: CipherError) throws {
    do {
      try connection.transaction(.immediate) { try StoreTable(connection).touch() }
    } catch {
      throw StoreError.outcomeUnknown(token, cause: error)
    }
    throw error
  }

  /// Whether a save whose outcome was unknown is in the store.
  ///
  /// One statement. To be asked after the store was opened again, and before anything else is
  /// saved.
  /// - Throws: `StoreError` with code `notFound` when the token is another store's.
  public func wasSaved(_ token: CommitToken) throws -> Bool {
    let opened = try open
    guard token.store == opened.identifier, let entity = model.entity(named: token.entityName) else {
      throw StoreError(.notFound, "the token is of another store")
    }
    return try translating(path) {
      try opened.pool.read { connection in
        let table = opened.schema.table(entity).name.quoted
        let statement = try connection.cached("SELECT _version FROM \(table) WHERE _id = ?1")
        statement.bind(1, token.reference)
        defer { statement.reset() }
        return token.isMet(by: try statement.step() ? statement.int64(0) : nil)
      }
    }
  }
}

extension SaveChangesRequest {
  /// Whether a row has more pages than are worth keeping: it is in memory more than once already.
  fileprivate var hasLongRow: Bool {
    inserted.contains { $0.byteCount > Self.longestCached }
      || updated.contains { $0.node.byteCount > Self.longestCached }
  }

  private static var longestCached: Int { 4 << 20 }
}
