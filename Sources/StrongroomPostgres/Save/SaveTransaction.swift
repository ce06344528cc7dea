import ObjectModel
import StoreContract

/// A transaction that writes one save, or several that are one to everybody else.
struct SaveTransaction {
  let connection: ServerConnection
  private let opened: PostgresStore.Opened
  private let store: PostgresStore
  private let writer: ServerSave
  private var recorder: ServerHistoryRecorder
  private var token: CommitToken?
  /// Its place in the history.
  private(set) var place: PersistentHistoryToken.Position?
  private var derived: DerivedChanges
  /// The save that was written last.
  private var last = SaveChangesRequest()

  init(_ connection: ServerConnection, _ opened: PostgresStore.Opened, _ store: PostgresStore) {
    (self.connection, self.opened, self.store) = (connection, opened, store)
    writer = ServerSave(connection, opened)
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
  mutating func write(_ save: SaveChangesRequest) throws {
    last = save
    token = CommitToken(save) ?? token
    try namingObjects {
      try derived.add(save)
      if tracksHistory { try recorder.willWrite(save) }
      writer.delete(save.deleted)
      try writer.update(save.updated)
      writer.checkConflicts()
      writer.checkExisting(save.existing)
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
  mutating func finish() throws {
    try namingObjects {
      try DerivedValues(connection, opened, store).write(derived)
      writer.checkUniqueness()
      if tracksHistory { place = try recorder.append(store.description.historyLimits) }
      try connection.flush()
    }
  }

  private func namingObjects(_ body: () throws -> Void) throws {
    do { try body() } catch let error as ServerError where error.isNotUnique {
      throw BrokenUniqueness(cause: error, save: last)
    }
  }

  /// What is to be settled where its commit was not answered.
  func lostCommit(_ error: ServerError) -> LostCommit? {
    writer.record.map { LostCommit(record: $0, token: token, error: error) }
  }
}
