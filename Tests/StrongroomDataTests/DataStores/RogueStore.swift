import Foundation
import StrongroomData

/// How a store of a test misbehaves; what it has is outside of it, and outlives containers.
final class Rogue: @unchecked Sendable {
  // @unchecked: containers call a store one call at a time.
  struct Refusal: Error {}
  typealias Rows = [PersistentIdentifier: DefaultSnapshot]

  let identifier: String
  var rows: Rows = [:]
  var refuses = false
  var refusesReads = false
  /// Makes the key of a new model; in the order of their insertion unless set.
  var key: (_ number: Int) -> String = { "k\($0)" }
  /// Called when the rows of a save are there.
  var didStore: () throws -> Void = {}
  /// Changes which permanent identifiers the store says that it gave.
  var renames:
    ([PersistentIdentifier: PersistentIdentifier]) throws -> [PersistentIdentifier:
      PersistentIdentifier] = { $0 }
  /// Which snapshots the store says that it has changed while it saved them.
  var reregisters: (Rows) throws -> Rows = { _ in [:] }
  var token: LedgerToken?
  /// Changes what a fetch finds.
  var finds: ([DefaultSnapshot]) -> [DefaultSnapshot] = { $0 }
  private var last = 0

  init(_ identifier: String) { self.identifier = identifier }

  func newKey() -> String {
    last += 1
    return key(last)
  }
}

struct RogueConfiguration: DataStoreConfiguration {
  typealias Store = RogueStore
  let name: String
  var schema: Schema?
  let rogue: Rogue

  init(_ rogue: Rogue, _ types: any PersistentModel.Type...) {
    name = rogue.identifier
    schema = types.isEmpty ? nil : Schema(types)
    self.rogue = rogue
  }

  static func == (left: Self, right: Self) -> Bool { left.rogue === right.rogue }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(rogue)) }
}

final class RogueStore: DataStore {
  typealias Configuration = RogueConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: RogueConfiguration
  let schema: Schema
  private var rogue: Rogue { configuration.rogue }
  var identifier: String { rogue.identifier }

  init(_ configuration: RogueConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    if rogue.refusesReads { throw Rogue.Refusal() }
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: rogue.finds(Array(rogue.rows.values)))
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    if rogue.refuses { throw Rogue.Refusal() }
    var names: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      names[snapshot.persistentIdentifier] = try .identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: rogue.newKey())
    }
    for snapshot in request.deleted { rogue.rows[snapshot.persistentIdentifier] = nil }
    for snapshot in request.inserted + request.updated {
      let own = names[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      rogue.rows[own] = snapshot.copy(persistentIdentifier: own, remappedIdentifiers: names)
    }
    try rogue.didStore()
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: try rogue.renames(names),
      snapshotsToReregister: try rogue.reregisters(rogue.rows), historyToken: rogue.token)
  }
}
