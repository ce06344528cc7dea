public import Foundation
public import ObjectModel
import ObjectQuery
public import StoreContract
import Synchronization

/// Stands between contexts and the store: opens it, routes requests to it, knows which class each entity has.
///
/// Sendable; one coordinator serves any number of contexts on any isolation.
public final class PersistentStoreCoordinator: Sendable {
  /// The model of the store and of every context.
  public let model: ManagedObjectModel
  let temporaryEntities: [StoreEntity]

  let inboxes = Inboxes()

  private struct Loaded: Sendable {
    var store: any IncrementalStore
    var storeEntities: [StoreEntity]
  }

  private let loaded = Mutex<Loaded?>(nil)
  private let classesByIndex: Mutex<[ManagedObject.Type]>

  private static let storeTypes = Mutex<[String: any IncrementalStore.Type]>([
    InMemoryStore.storeType: InMemoryStore.self
  ])

  /// Makes a coordinator without a store.
  public init(model: ManagedObjectModel) {
    self.model = model
    temporaryEntities = StoreEntity.all(of: model, in: nil)
    classesByIndex = Mutex(Array(repeating: ManagedObject.self, count: model.entities.count))
  }

  /// Makes a kind of store known under its `storeType`, for all coordinators of the process.
  public static func register(_ storeType: any IncrementalStore.Type) {
    storeTypes.withLock { $0[storeType.storeType] = storeType }
  }

  /// Makes contexts create objects of a class for an entity; contexts made before do not know it.
  /// - Throws: `unknownName` when the model has no such entity.
  public func register(_ objectClass: ManagedObject.Type, for entityName: String) throws {
    guard let entity = model.entity(named: entityName) else {
      throw ContextError(.unknownName, "the model has no entity \(entityName)")
    }
    classesByIndex.withLock { $0[entity.index] = objectClass }
  }

  var objectClasses: [ManagedObject.Type] { classesByIndex.withLock { $0 } }

  /// Opens the store that a description names.
  /// - Throws: `noStore` when its type is not registered or a store is open already; whatever the store throws.
  public func addStore(_ description: PersistentStoreDescription) async throws {
    guard let type = Self.storeTypes.withLock({ $0[description.type] }) else {
      throw ContextError(.noStore, "no store of type \(description.type) is registered")
    }
    guard loaded.withLock({ $0 == nil }) else {
      throw ContextError(.noStore, "this coordinator has a store; use a container of its own for another")
    }
    let store = try type.init(model: model, description: description)
    try await store.loadMetadata()
    loaded.withLock { $0 = Loaded(store: store, storeEntities: store.storeEntities) }
  }

  /// Closes the store. Contexts keep what they have read; anything more throws.
  /// - Throws: whatever the store throws.
  public func removeStore() throws {
    let old = loaded.withLock { loaded in
      defer { loaded = nil }
      return loaded
    }
    try old?.store.close()
  }

  /// The store.
  /// - Throws: `noStore` when none is open.
  public var store: any IncrementalStore {
    get throws {
      guard let store = loaded.withLock({ $0?.store }) else {
        throw ContextError(.noStore, "no store is open; load the container's store first")
      }
      return store
    }
  }

  var storeEntities: [StoreEntity] { loaded.withLock { $0?.storeEntities } ?? temporaryEntities }

  /// The store's own instance of what an ID from anywhere names.
  func storeEntity(of id: ManagedObjectID) throws -> StoreEntity {
    let store = try store
    guard id.storeIdentifier == store.identifier, let entity = model.entity(named: id.entity.name) else {
      throw ContextError(.foreignObject, "the ID of a \(id.entity.name) is of another store")
    }
    return storeEntities[entity.index]
  }

  /// The ID that a URI names; nil when it is of another store or entity.
  public func objectID(for uri: URL) -> ManagedObjectID? {
    guard let parts = ManagedObjectID.components(of: uri), let store = try? store,
      parts.store == store.identifier, let entity = model.entity(named: parts.entityName)
    else { return nil }
    return ManagedObjectID(storeEntities[entity.index], reference: parts.reference)
  }

  /// Executes any request on the store.
  /// - Throws: `StoreError`.
  public func execute(
    _ request: any PersistentStoreRequest, lookup: (any NodeLookup)? = nil
  ) throws -> StoreResult {
    try store.execute(request, lookup: lookup)
  }

  func post(_ news: ContextInbox.News, from sender: ContextInbox) { inboxes.post(news, from: sender) }

  func newValues(for references: [Int64], of entity: Entity) throws -> [IncrementalStoreNode?] {
    references.isEmpty ? [] : try store.newValues(for: references, of: entity)
  }

  func newValues(for relationship: Relationship, of references: [Int64]) throws -> RelationshipTargets {
    try store.newValues(for: relationship, of: references)
  }

  func obtainPermanentIDs(for entities: [Entity]) throws -> [ManagedObjectID] {
    try store.obtainPermanentIDs(for: entities)
  }
}
