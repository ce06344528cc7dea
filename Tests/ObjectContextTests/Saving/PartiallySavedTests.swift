import MinimalStore
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import Testing

@Suite("A save over two stores, of which one fails at its commit")
struct PartiallySavedTests {
  @Test("is reported, and the changes are still there to be saved again")
  func told() async throws {
    let model = try ManagedObjectModel(
      ModelDeclaration(
        entities: ["Note", "Memo"].map { Entity($0) { Attribute("text", .string) } },
        configurations: ["Notes": ["Note"], "Memos": ["Memo"]]))
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    var stores: [String: MinimalStore] = [:]
    for (configuration, entity) in [("Notes", "Note"), ("Memos", "Memo")] {
      let store = MinimalStore(
        model: model,
        description: PersistentStoreDescription(type: MinimalStore.storeType, configuration: configuration))
      try await store.loadMetadata()
      try coordinator.addPersistentStore(store, configuration: configuration)
      stores[entity] = store
    }
    let context = ManagedObjectContext(coordinator)
    for entity in ["Note", "Memo"] { try context.insert(entity).set("text", "kept") }
    try context.obtainPermanentIDs(for: context.insertedObjects)
    // Stores save in the order of their identifiers, each within the one before: the first commits
    // last.
    let outer = stores.min { $0.value.identifier.uuidString < $1.value.identifier.uuidString }
    let (entity, failing) = try #require(outer)
    failing.failsCommits.withLock { $0 = true }
    let error = #expect(throws: ContextError.self) { try context.save() }
    #expect(error?.code == .partiallySaved)
    #expect(error?.message.contains(failing.identifier.uuidString) == false, "it names those that were saved")
    #expect(context.insertedObjects.count == 2, "nothing was lost here")
    let other = ManagedObjectContext(coordinator)
    #expect(try other.count(for: FetchRequest(entity == "Note" ? "Memo" : "Note")) == 1)
  }
}
