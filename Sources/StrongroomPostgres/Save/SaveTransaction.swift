import ObjectModel
import StoreContract

/// A transaction that writes one save, or several that are one to everybody else.
struct SaveTransaction {
  let connection: ServerConnection
  private let opened: PostgresStore.Opened
  private let store: PostgresStore
  private var writer: ServerSave
  private var recorder: ServerHistoryRecorder
  /// The number that the server gave to it.
  private var number: Int64?
  /// Its place in the history.
  private var place: PersistentHistoryToken.Position?
  private var token: CommitToken?
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
  mutating func begin(_ locks: [LockedObject] = []) throws {
    number = try writer.begin(locks, signature: store.signature, tracksHistory: tracksHistory)
  }

  /// Writes a save, but what it has of the program's metadata.
  mutating func write(_ save: SaveChangesRequest) throws {
    last = save
    token = CommitToken(save) ?? token
    try derived.add(save)
    if tracksHistory { try recorder.willWrite(save) }
    try namingObjects {
      try writer.delete(save.deleted)
      try writer.update(save.updated)
      try writer.throwConflicts()
      try writer.checkExisting(save.existing)
      try writer.insert(save.inserted)
      try writer.throwConflicts()
      try writer.checkDeletions(save.deleted)
      for changes in save.relationshipChanges { try writer.apply(changes) }
    }
    if tracksHistory { try recorder.didWrite(save) }
  }

  /// Has the server check uniqueness now and from here on.
  func checkUniqueness() throws { try namingObjects { try writer.checkUniqueness() } }

  /// To be called last, since other saves wait from here on.
  mutating func finish() throws {
    try namingObjects { try DerivedValues(connection, opened, store).write(derived) }
    try checkUniqueness()
    if tracksHistory { place = try recorder.append(store.description.historyLimits) }
  }

  private func namingObjects(_ body: () throws -> Void) throws {
    do { try body() } catch let error as ServerError where error.isNotUnique {
      throw BrokenUniqueness(cause: error, save: last)
    }
  }

  /// What is to be settled where its commit was not answered.
  func lostCommit(_ error: ServerError) -> LostCommit? {
    number.map { LostCommit(transaction: $0, place: place, token: token, error: error) }
  }
}
