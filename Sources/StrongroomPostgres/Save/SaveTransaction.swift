import Foundation
import ObjectModel
import StoreContract

/// A transaction that writes one save, or several that are one to everybody else.
final class SaveTransaction {
  let connection: ServerConnection
  private let opened: PostgresStore.Opened
  private let store: PostgresStore
  private let isExpecting: Bool
  private let writer: ServerSave
  private var recorder: ServerHistoryRecorder
  private var token: CommitToken?
  private var record: CommitRecord?
  /// Whether it is a batch, whose new numbers are given out again where it is rolled back.
  var isBatch = false
  /// Its place in the history.
  private(set) var place: PersistentHistoryToken.Position?
  private var derived: DerivedChanges
  /// The save that was written last.
  private var last = SaveChangesRequest()

  /// - Parameters:
  ///   - connection: In a transaction.
  ///   - opened: The store.
  ///   - store: The store object.
  ///   - isExpecting: Whether the server ends the transaction where it finds anything else than is expected,
  ///     so that all can be sent with the commit; else what it finds is looked at before.
  init(
    _ connection: ServerConnection, _ opened: PostgresStore.Opened, _ store: PostgresStore, isExpecting: Bool
  ) {
    (self.connection, self.opened, self.store) = (connection, opened, store)
    self.isExpecting = isExpecting
    writer = ServerSave(connection, opened, isExpecting: isExpecting)
    recorder = ServerHistoryRecorder(connection, opened, store)
    derived = DerivedChanges(connection, opened.schema)
  }

  private var tracksHistory: Bool { store.description.tracksHistory }

  /// Locks objects whose version must not change.
  func begin(_ locks: [LockedObject] = []) throws {
    try writer.begin(locks, signature: store.signature)
  }

  /// Writes a save, but what it has of the program's metadata, with the next statement whose answer is waited
  /// for.
  func write(_ save: SaveChangesRequest) throws {
    last = save
    token = CommitToken(save) ?? token
    try namingObjects {
      try derived.add(save)
      if tracksHistory { try recorder.willWrite(save) }
      let isAhead = isExpecting && save.deleted.isEmpty
      if isAhead { writer.checkExisting(save.existing) }
      // The server begins while the rest is composed.
      if isExpecting { try connection.push() }
      writer.delete(save.deleted)
      try writer.update(save.updated)
      writer.checkConflicts()
      if !isAhead { writer.checkExisting(save.existing) }
      try writer.insert(save.inserted)
      writer.checkConflicts()
      writer.checkDeletions(save.deleted)
      for changes in save.relationshipChanges { try writer.apply(changes) }
      if tracksHistory { try recorder.didWrite(save) }
    }
  }

  /// Has the server check uniqueness of what was written, and from here on at once.
  func checkUniqueness() throws {
    try namingObjects {
      writer.checkUniqueness()
      try connection.flush()
    }
  }

  /// To be called last, since other saves wait from here on.
  ///
  /// - Throws: `Unexpected` where the server is to look at what it finds, and there is no change.
  func finish() throws {
    try namingObjects {
      try DerivedValues(connection, opened, store).write(derived)
      // A save of one round trip writes nothing that has to be unique.
      if !connection.isOneTrip { writer.checkUniqueness() }
      if isExpecting {
        try connection.push()
        let fingerprint = try recorder.appendExpecting { [self] in place = $0 }
        guard let fingerprint else { throw Unexpected() }
        record = .inHistory(fingerprint, after: start)
      } else {
        if tracksHistory { place = try recorder.append(store.description.historyLimits) }
        leaveRecord()
        try connection.flush()
      }
    }
  }

  /// The number of a transaction before it.
  private var start: Int64 { store.seen?.transactionNumber ?? 0 }

  private func leaveRecord() {
    if let place { return record = .inHistory(Array(place.fingerprint), after: start) }
    connection.saves += 1
    CommitRecord.write(connection.identifier, connection.saves, to: connection)
    record = .numbered(connection.identifier, connection.saves)
  }

  private func namingObjects(_ body: () throws -> Void) throws {
    do { try body() } catch let error as ServerError where error.isNotUnique {
      if isExpecting { throw Unexpected() }
      throw BrokenUniqueness(cause: error, save: last)
    }
  }

  /// What is to be settled where its commit was not answered.
  func lostCommit(_ error: ServerError) -> LostCommit? {
    guard let record else { return nil }
    var token = token
    token?.record = record.data
    // Without a history, another save under the same numbers would be taken for it.
    if isBatch, record.data == nil { token = nil }
    return LostCommit(record: record, token: token, error: error)
  }
}

/// What a transaction finds that is not as its save expects: the save is to be tried again, and what it finds
/// looked at.
struct Unexpected: Error {}
