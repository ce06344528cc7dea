public import Foundation
import Locks
public import ObjectModel
import ObjectQuery
public import StoreContract
import Synchronization

/// Stands between contexts and stores: opens them, routes requests to them by entity, knows which
/// class each entity has.
///
/// Sendable; one coordinator serves any number of contexts on any isolation.
public final class PersistentStoreCoordinator: Sendable {
  /// The model of the store and of every context.
  public let managedObjectModel: ManagedObjectModel
  let temporaryEntities: [StoreEntity]

  let inboxes = Inboxes()
  let writing = WriteGate()
  private let streams = ChangeStreams<ContextChanges>()

  private let loaded: Locked<StoreAssignment>
  /// How often stores were added and removed, so that contexts see when what they know is out of
  /// date.
  private let changes = Atomic<Int>(0)
  /// How often stores were removed or moved: numbers from before may be other objects' now.
  private let removals = Atomic<Int>(0)
  /// Whether a context has stored an object again that another one had deleted.
  let hasStoredAgain = Atomic<Bool>(false)
  /// The classes of objects that were registered, by the entity's index.
  let registeredClasses = Locked<[Int: any AnyObject.Type]>([:])

  private static let storeTypes = Locked<[String: any IncrementalStore.Type]>([
    InMemoryStore.storeType: InMemoryStore.self
  ])

  let remoteStreams = ChangeStreams<PersistentStoreRemoteChange>()
  /// One for each store; nil until remote changes are first observed.
  private let watches = Locked<[RemoteChangeWatch]?>(nil)

  deinit {
    streams.finish()
    remoteStreams.finish()
  }

  /// Makes a coordinator without a store.
  public init(managedObjectModel: ManagedObjectModel) {
    self.managedObjectModel = managedObjectModel
    temporaryEntities = StoreEntity.all(of: managedObjectModel, in: nil)
    loaded = Locked(StoreAssignment(managedObjectModel, temporaryEntities))
  }

  /// Makes a kind of store known under its `storeType`, for all coordinators of the process.
  public static func registerStoreClass(_ storeType: any IncrementalStore.Type) {
    storeTypes.withLock { $0[storeType.storeType] = storeType }
  }

  /// The kinds of store that are known, by the name of their type.
  public static var registeredStoreTypes: [String: any IncrementalStore.Type] { storeTypes.withLock { $0 } }

  /// Opens the store that a description names, for the entity hierarchies of its configuration; for
  /// all entities when it names none.
  ///
  /// Several stores may be open, each with entities of its own. About ten statements, as
  /// `PersistentContainer.loadPersistentStores()`.
  /// - Throws: `noStore` when its type is not registered; `unknownKey` when the model has no such
  ///   configuration; `configuration` when another store has one of its entities, or a relationship
  ///   of one of them has a destination that is not among them; whatever the store throws.
  public func addPersistentStore(with description: PersistentStoreDescription) async throws {
    let entities = try StoreAssignment.entities(of: description.configuration, in: managedObjectModel)
    try loaded.withLock { try $0.check(entities) }
    let store = try await open(description)
    do {
      try loaded.withLock { try $0.add(store, entities) }
    } catch {
      try? store.close()
      throw error
    }
    storesDidChange()
  }

  func open(_ description: PersistentStoreDescription) async throws -> any IncrementalStore {
    guard let type = Self.storeTypes.withLock({ $0[description.type] }) else {
      throw ContextError.noStoreType(description.type)
    }
    var description = description
    if let migration = description.storeMigration, let type = type as? any MigratableStore.Type {
      var alone = description
      alone.storeMigration = nil
      do {
        try await migration.migrate(type, alone, to: managedObjectModel)
      } catch let error as StoreError
        where error.code == .newerModelVersion && description.opensNewerStoreReadOnly
      {
        description.isReadOnly = true
      }
    }
    let store = try type.init(model: managedObjectModel, description: description)
    try await store.loadMetadata()
    return store
  }

  func entities(of store: any IncrementalStore) throws -> [EntityDescription] {
    try loaded.withLock { try $0.entities(of: store) }
  }

  func replace(_ store: any IncrementalStore, by other: any IncrementalStore) throws {
    try loaded.withLock { try $0.replace(store, by: other) }
    storesDidChange(isRemoval: true)
  }

  /// Adds a store that is loaded already, for the entities of a configuration.
  /// - Throws: `ContextError` as `addStore(_:)` with a description does; the store stays open then.
  public func addPersistentStore(_ store: any IncrementalStore, configuration: String? = nil) throws {
    let entities = try StoreAssignment.entities(of: configuration, in: managedObjectModel)
    try loaded.withLock { try $0.add(store, entities) }
    storesDidChange()
  }

  /// Closes one store.
  ///
  /// Contexts drop its objects, and asking for its entities throws until another has them.
  /// - Throws: `noStore` when it is none of this coordinator's; whatever the store throws.
  public func removePersistentStore(_ store: any IncrementalStore) throws {
    try loaded.withLock { try $0.remove(store) }
    storesDidChange(isRemoval: true)
    try store.close()
  }

  /// Closes every store.
  ///
  /// Contexts drop their objects when they are next used; saving and reading throw `noStore`.
  /// - Throws: whatever a store throws, once all are closed.
  public func removePersistentStores() throws {
    let stores = loaded.withLock { loaded in
      defer { loaded = StoreAssignment(managedObjectModel, temporaryEntities) }
      return loaded.stores
    }
    storesDidChange(isRemoval: true)
    let failures = stores.compactMap { store in
      do {
        try store.close()
        return nil as (any Error)?
      } catch {
        return error
      }
    }
    if let first = failures.first { throw first }
  }

  var storeChanges: Int { changes.load(ordering: .acquiring) }

  var storeRemovals: Int { removals.load(ordering: .acquiring) }

  private func storesDidChange(isRemoval: Bool = false) {
    if isRemoval { removals.wrappingAdd(1, ordering: .releasing) }
    changes.wrappingAdd(1, ordering: .releasing)
    watches.withLock { if let old = $0 { $0 = renewed(old) } }
  }

  /// Begins to look out for commits of others, until the stores are closed.
  func watchStores() { watches.withLock { if $0 == nil { $0 = renewed([]) } } }

  private func renewed(_ old: [RemoteChangeWatch]) -> [RemoteChangeWatch] {
    persistentStores.map { store in
      old.first { $0.store === store } ?? RemoteChangeWatch(store) { [weak self] in self?.post($0) }
    }
  }

  /// The stores, in the order they were added.
  public var persistentStores: [any IncrementalStore] { loaded.withLock { $0.stores } }

  /// The store; the first of several.
  /// - Throws: `noStore` when none is open.
  public var persistentStore: any IncrementalStore {
    get throws {
      guard let store = loaded.withLock({ $0.stores.first }) else { throw Self.closed }
      return store
    }
  }

  /// The store that has the objects of an entity.
  ///
  /// Issues no statement.
  /// - Throws: `noStore` when none has.
  public func persistentStore(for entity: EntityDescription) throws -> any IncrementalStore {
    guard let store = loaded.withLock({ $0.store(of: entity) }) else {
      throw persistentStores.isEmpty
        ? Self.closed
        : ContextError(
          .noStore, "no open store has the entity \(entity.name); add a store for its configuration")
    }
    return store
  }

  func hasStore(for entity: EntityDescription) -> Bool { loaded.withLock { $0.store(of: entity) != nil } }

  private static var closed: ContextError {
    ContextError(.noStore, "no store is open; load the container's store first")
  }

  @usableFromInline
  package func store(forEntityNamed name: String) throws -> any IncrementalStore {
    guard let entity = managedObjectModel.entity(named: name) else { return try persistentStore }
    return try persistentStore(for: entity)
  }

  /// By entity; those of temporary IDs where no store has the entity.
  var storeEntities: [StoreEntity] { loaded.withLock { $0.storeEntities } }

  /// The store's own instance of what an ID from anywhere names.
  func storeEntity(of id: ManagedObjectID) throws -> StoreEntity {
    guard let entity = managedObjectModel.entity(named: id.entity.name),
      case let own = storeEntities[entity.index], own.storeIdentifier == id.storeIdentifier,
      own.storeIdentifier != nil
    else {
      throw ContextError(.objectOfAnotherContext, "the ID of a \(id.entity.name) is of another store")
    }
    return own
  }

  /// The ID that a URI names; nil when it is of another store or entity.
  public func managedObjectID(forURIRepresentation uri: URL) -> ManagedObjectID? {
    guard let parts = ManagedObjectID.components(of: uri),
      let entity = managedObjectModel.entity(named: parts.entityName),
      case let own = storeEntities[entity.index], own.storeIdentifier == parts.store
    else { return nil }
    return ManagedObjectID(own, reference: parts.reference)
  }

  /// Saves changes in the stores of their entities.
  ///
  /// One transaction per store.
  /// - Throws: `StoreError` with nothing saved; `partiallySaved` when a disk failed at the very
  ///   commit of one store after another had committed.
  public func save(_ save: SaveChangesRequest) throws {
    try writing.shared {
      guard let only = loaded.withLock({ $0.onlyStore }) else { return try saveInParts(save) }
      try refuseForeign(save, only)
      try only.save(save)
    }
  }

  func post(_ changes: ContextInbox.Changes, from sender: ContextInbox?) {
    inboxes.post(changes, from: sender)
  }

  /// What was read from a removed store must not be written to another, where its reference numbers
  /// belong to other objects.
  func refuseForeign(_ save: SaveChangesRequest, _ store: any IncrementalStore) throws {
    let own = store.identifier
    let isForeign =
      save.inserted.contains { $0.storeEntity.storeIdentifier != own }
      || save.updated.contains { $0.node.storeEntity.storeIdentifier != own }
      || (save.deleted + save.locked).contains { $0.objectID.storeIdentifier != own }
      || save.existing.contains { $0.storeIdentifier != own }
    if isForeign {
      throw ContextError(
        .objectOfAnotherContext,
        "nothing was saved: the store of some objects was replaced meanwhile; fetch them again")
    }
  }

  /// Tells the other contexts, and who listens to all, of a save.
  func posted(_ changes: ContextChanges, from sender: ContextInbox) {
    post(.saved(changes), from: sender)
    streams.yield(changes)
  }

  /// Tells after each save of any context of this coordinator what was saved.
  public func didSaveObjects() -> AsyncStream<ContextChanges> { streams.stream() }

  func obtainPermanentIDs(for entities: [EntityDescription]) throws -> [ManagedObjectID] {
    if let only = loaded.withLock({ $0.onlyStore }) { return try only.obtainPermanentIDs(for: entities) }
    var ids: [Int: ManagedObjectID] = [:]
    for (_, places) in Dictionary(
      grouping: entities.indices, by: { storeEntities[entities[$0].index].storeIdentifier })
    {
      let own = try persistentStore(for: entities[places[0]]).obtainPermanentIDs(
        for: places.map { entities[$0] })
      for (place, id) in zip(places, own) { ids[place] = id }
    }
    return entities.indices.compactMap { ids[$0] }
  }
}

extension PersistentStoreCoordinator: RoutedSource {}
