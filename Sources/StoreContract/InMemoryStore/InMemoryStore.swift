public import Foundation
import Locks
public import ObjectModel
import ObjectQuery

/// A store in memory that is discarded when closed: for tests, previews and temporary work.
///
/// As `NSInMemoryStoreType`.
///
/// Issues no SQL; a fetch reads every object of its entity.
public final class InMemoryStore: IncrementalStore {
  /// The name it is registered under.
  public static let storeType = "InMemory"

  struct State: Sendable {
    var tables: [Int: [Int64: IncrementalStoreNode]] = [:]  // by the root entity's index
    var links: [String: InMemoryJoinTable] = [:]
    var lastReference: [Int: Int64] = [:]
    var metadata: [String: String] = [:]
    var isOpen = false
    var history = History()
  }

  /// The store's UUID.
  public let identifier: UUID
  /// One per entity of the model, at the entity's index.
  public let storeEntities: [StoreEntity]
  let model: ManagedObjectModel
  let isReadOnly: Bool
  let state = Locked(State())

  /// Creates an empty store; its URL, if any, is ignored.
  public init(model: ManagedObjectModel, description: PersistentStoreDescription) {
    self.model = model
    identifier = Self.identifierForNewStore()
    isReadOnly = description.isReadOnly
    storeEntities = StoreEntity.all(of: model, in: identifier)
  }

  private init(momentOf store: InMemoryStore) {
    model = store.model
    identifier = store.identifier
    storeEntities = store.storeEntities
    isReadOnly = true
    let now = store.state.withLock { $0 }
    state.withLock { $0 = now }
  }

  /// A read-only copy that shares the rows both have.
  public func snapshot() -> any IncrementalStore { InMemoryStore(momentOf: self) }

  /// The store's own metadata and the program's.
  ///
  /// See `StoreMetadata`.
  public var metadata: [String: String] {
    StoreMetadata.whole(
      state.withLock { $0.metadata }, of: self, versionIdentifiers: model.declaration.versionIdentifiers)
  }

  /// Opens the store.
  public func loadMetadata() async throws { state.withLock { $0.isOpen = true } }

  /// Discards all objects.
  public func close() { state.withLock { $0 = State() } }

  func checkOpen() throws {
    if state.withLock({ $0.isOpen }) { return }
    throw StoreError(.other, "the store is closed; load it first")
  }

  /// The nodes of objects, in the order of the references; nil where there is no such object.
  public func newValues(for references: [Int64], of entity: EntityDescription) -> [IncrementalStoreNode?] {
    state.withLock { state in
      let table = state.tables[entity.root.index] ?? [:]
      return references.map { table[$0]?.of(entity) }
    }
  }

  /// The destinations of a to-many relationship for many sources at once.
  public func newValues(for relationship: RelationshipDescription, of references: [Int64])
    -> RelationshipDestinations
  {
    state.withLock { state in
      var result = RelationshipDestinations()
      let nodes = state.tables[relationship.destination.root.index] ?? [:]
      let polymorphic = relationship.destination.hasSubentities
      var byParent: [Int64: [Int64]] = [:]
      if !relationship.hasJoinTable, let inverse = relationship.inverse {
        for (reference, node) in nodes where node.entity.isKind(of: inverse.entity) {
          if let parent = node.reference(inverse.field) { byParent[parent, default: []].append(reference) }
        }
      }
      let links = state.links[relationship.joinTableOwner.key]
      for reference in references {
        let destinations: [Int64] =
          if !relationship.hasJoinTable {
            byParent[reference, default: []].sorted()
          } else if relationship === relationship.joinTableOwner {
            links?.destinations[reference] ?? []
          } else {
            links?.sources[reference] ?? []
          }
        for destination in relationship.isOrdered ? destinations : destinations.sorted() {
          guard let node = nodes[destination] else { continue }
          if polymorphic {
            result.append(destination, entityIndex: node.entity.index)
          } else {
            result.append(destination)
          }
        }
        result.endSource()
      }
      return result
    }
  }

  /// Permanent IDs, in the order of the entities.
  public func obtainPermanentIDs(for entities: [EntityDescription]) -> [ManagedObjectID] {
    state.withLock { state in
      entities.map { entity in
        let reference = state.lastReference[entity.root.index, default: 0] + 1
        state.lastReference[entity.root.index] = reference
        return ManagedObjectID(storeEntities[entity.index], reference: reference)
      }
    }
  }
}

extension RelationshipDescription {
  var key: String { "\(entity.name)\u{0}\(name)" }
}
