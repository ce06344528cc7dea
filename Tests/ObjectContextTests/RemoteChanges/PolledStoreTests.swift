import Locks
import MinimalStore
import ObjectContext
import ObjectModel
import StoreContract
import Testing

@Suite("A store without files to watch", .timeLimit(.minutes(30)))
struct PolledStoreTests {
  @Test("is asked for its count, and contexts take in what others wrote")
  func polling() async throws {
    let model = try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
    let store = MinimalStore(
      model: model, description: PersistentStoreDescription(type: MinimalStore.storeType))
    try await store.loadMetadata()
    store.foreignWrites.withLock { $0 = 0 }
    func coordinator() throws -> PersistentStoreCoordinator {
      let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(store)
      return coordinator
    }
    let (mine, theirs) = (try coordinator(), try coordinator())
    let context = ManagedObjectContext(mine, isolation: nil)
    context.automaticallyMergesChangesFromParent = true
    let note = try context.insert("Note")
    try note.set("text", "old")
    try context.save()
    let other = ManagedObjectContext(theirs, isolation: nil)
    try other.object(with: note.objectID).set("text", "new")
    try other.save()
    // Nothing says so yet.
    try context.mergeChanges()
    #expect(try note.get("text", as: String.self) == "old")
    store.foreignWrites.withLock { $0 = 1 }
    for _ in 0..<8000 where try note.get("text", as: String.self) == "old" {
      try await Task.sleep(for: .milliseconds(10))
      try context.mergeChanges()
    }
    #expect(try note.get("text", as: String.self) == "new")
  }
}
