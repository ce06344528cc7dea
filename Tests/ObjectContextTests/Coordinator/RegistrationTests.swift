import Locks
import StoreContract
import Strongroom
import Testing

/// A store of a stranger's, plugged in under its own name: the one in memory, with an ear for what
/// contexts hold.
private final class ListeningStore: IncrementalStore {
  static let storeType = "Listening"
  private let inner: InMemoryStore
  let held = Locked<Set<ManagedObjectID>>([])

  init(model: ManagedObjectModel, description: PersistentStoreDescription) {
    inner = InMemoryStore(model: model, description: description)
  }

  var identifier: UUID { inner.identifier }
  var metadata: [String: String] { inner.metadata }
  var storeEntities: [StoreEntity] { inner.storeEntities }
  var observesRegistrations: Bool { true }

  func loadMetadata() async throws { try await inner.loadMetadata() }
  func close() throws { inner.close() }

  func fetchNodes(_ request: FetchRequest, lookup: (any NodeLookup)?) throws -> [IncrementalStoreNode] {
    try inner.fetchNodes(request, lookup: lookup)
  }

  func save(_ save: SaveChangesRequest, beforeCommit: () throws -> Void) throws {
    try inner.save(save, beforeCommit: beforeCommit)
  }

  func newValues(for references: [Int64], of entity: EntityDescription) throws -> [IncrementalStoreNode?] {
    inner.newValues(for: references, of: entity)
  }

  func newValues(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> RelationshipDestinations
  {
    inner.newValues(for: relationship, of: references)
  }

  func obtainPermanentIDs(for entities: [EntityDescription]) throws -> [ManagedObjectID] {
    inner.obtainPermanentIDs(for: entities)
  }

  func managedObjectContextDidRegisterObjects(with objectIDs: [ManagedObjectID]) {
    held.withLock { $0.formUnion(objectIDs) }
  }
  func managedObjectContextDidUnregisterObjects(with objectIDs: [ManagedObjectID]) {
    held.withLock { $0.subtract(objectIDs) }
  }
}

@Suite("A store of somebody else's")
struct RegistrationTests {
  @Test("is found under its name, and gets the registered objects")
  func registration() async throws {
    PersistentStoreCoordinator.registerStoreClass(ListeningStore.self)
    let container = PersistentContainer(
      managedObjectModel: try Library.model(),
      description: PersistentStoreDescription(type: ListeningStore.storeType))
    try await container.loadPersistentStores()
    let store = try #require(try container.persistentStoreCoordinator.persistentStore as? ListeningStore)
    let context = container.newContext()
    var authors = try (0..<3).map { _ in try context.insert("Author") }
    #expect(store.held.withLock { $0.isEmpty })
    try context.save()
    #expect(store.held.withLock { $0 } == Set(authors.map(\.objectID)))
    authors.removeLast()
    #expect(store.held.withLock { $0.count } == 2)
    context.reset()
    #expect(store.held.withLock { $0.isEmpty })
  }

  @Test("of an unknown type is refused")
  func unknown() async throws {
    let container = PersistentContainer(
      managedObjectModel: try Library.model(), description: PersistentStoreDescription(type: "Nobody's"))
    await #expect { try await container.loadPersistentStores() } throws: {
      ($0 as? ContextError)?.code == .noStore
    }
  }
}
