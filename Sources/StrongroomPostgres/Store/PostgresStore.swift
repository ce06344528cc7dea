public import Foundation
import Locks
public import ObjectModel
public import StoreContract

/// A store in a PostgreSQL database, for graphs that many machines share.
///
/// The description's URL is the server's address as libpq has it, `postgresql://user@host/database`. Over
/// TCP the server's certificate has to be valid and its own, unless the address says otherwise (`sslmode`).
/// The server sees the values: it, its disks and its backups are to be trusted.
public final class PostgresStore: IncrementalStore {
  /// The name it is registered under.
  public static let storeType = "PostgreSQL"

  let model: ManagedObjectModel
  let sequence = ServerSequence()
  /// What this store object says of its saves; others count those that are not their own.
  let signature = UUID().uuidString
  /// Where it is.
  public let description: PersistentStoreDescription
  private let state = Locked<Opened?>(nil)
  private let latest = Locked<PersistentHistoryToken.Position?>(nil)

  /// Makes a store that is not open yet.
  /// - Throws: `StoreError` with code `invalidValue` where the description has no address of a server.
  public init(model: ManagedObjectModel, description: PersistentStoreDescription) throws {
    try ServerAddress.check(description)
    self.model = model
    self.description = description
  }

  var open: Opened {
    get throws {
      if let opened = state.withLock({ $0 }) { return opened }
      throw StoreError(.other, "the store is closed; load it first")
    }
  }

  /// The store's UUID, once metadata is loaded; all zeros before.
  public var identifier: UUID { state.withLock { $0?.identifier } ?? Self.unknown }
  private static let unknown = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  /// One per entity of the model, at the entity's index.
  public var storeEntities: [StoreEntity] { state.withLock { $0?.storeEntities } ?? [] }

  /// The store's own metadata and the program's.
  public var metadata: [String: String] {
    StoreMetadata.whole(
      state.withLock { $0?.programs } ?? [:], of: self,
      versionIdentifiers: model.declaration.versionIdentifiers)
  }

  /// How often something was sent to the server and answered.
  package var roundTripCount: Int { get throws { try open.pool.roundTrips.withLock { $0 } } }

  func setOpened(_ opened: Opened, at place: PersistentHistoryToken.Position?) {
    latest.withLock { $0 = place }
    state.withLock { $0 = opened }
  }

  /// The last place in the history that this object knows of: a save looks whether it is there still, since
  /// an older copy may have taken the store's place.
  var seen: PersistentHistoryToken.Position? { latest.withLock { $0 } }

  func see(_ place: PersistentHistoryToken.Position?) {
    guard let place else { return }
    latest.withLock {
      if place.transactionNumber > $0?.transactionNumber ?? 0 { $0 = place }
    }
  }

  func setPrograms(_ programs: [String: String]) {
    state.withLock { $0 = $0?.with(programs: programs) }
  }

  func checkWritable() throws {
    if description.isReadOnly { throw StoreError(.readOnly, "the store is open for reading only") }
  }

  /// Runs a read; where it fails because another program migrated the store, it says that.
  func reading<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as StoreError
      where [.schemaMismatch, .fileDamaged].contains(error.code)
    {
      let version = try? open.pool.read { try $0.run(ServerMetadata.version) }
      if let version, version.count > 0, version.text(0, 0) != model.version { throw StoreError.movedOn }
      throw error
    }
  }

  /// The channel on which the stores of one UUID hear of each other.
  static func channel(_ identifier: UUID) -> String { "strongroom_\(identifier.uuidString)" }

  /// The same store, as it is in another moment or in a transaction that opens it.
  init(_ model: ManagedObjectModel, _ description: PersistentStoreDescription, _ opened: Opened) {
    (self.model, self.description) = (model, description)
    state.withLock { $0 = opened }
  }

  private convenience init(momentOf store: PostgresStore) throws {
    var description = store.description
    description.isReadOnly = true
    let opened = try store.open
    let moment = try opened.pool.moment(version: opened.schema.version)
    self.init(store.model, description, opened.with(moment, nil))
  }

  /// What is stored now, for as long as it is there: reads see no later save.
  ///
  /// Two statements, over a connection of its own; one more, and another connection, for each further thread
  /// that reads at the same time.
  /// - Throws: `StoreError`: `modelMismatch` where another program has moved the store to another version of
  ///   its model; `serverUnreachable`.
  public func snapshot() throws -> any IncrementalStore { try PostgresStore(momentOf: self) }

  /// Rises with each save of others.
  public var remoteChangeCount: Int64? { get throws { try open.listener?.changeCount } }

  /// Closes the connections; the identifier and the metadata stay.
  public func close() throws {
    let opened = state.withLock { $0 }
    opened?.listener?.close()
    opened?.pool.close()
  }

  /// Permanent IDs, in the order of the entities.
  ///
  /// No statement while a block of numbers lasts, else one for each hierarchy.
  /// - Throws: `StoreError`: `readOnly`, `busy`, `serverUnreachable`.
  public func obtainPermanentIDs(for entities: [EntityDescription]) throws -> [ManagedObjectID] {
    try checkWritable()
    let opened = try open
    return try zip(entities, sequence.take(entities, in: opened.pool)).map { entity, reference in
      ManagedObjectID(opened.storeEntities[entity.index], reference: reference)
    }
  }
}
