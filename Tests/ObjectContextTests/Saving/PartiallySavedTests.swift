import MinimalStore
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import Testing

@Suite("A save over two stores, of which one fails at its commit")
struct PartiallySavedTests {
  @Test("is reported; what was saved is saved, and the rest is still there to be saved again")
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
    let saved = try #require(stores.first { $0.value !== failing })
    #expect(error?.savedStores == [saved.value.identifier])
    #expect(context.insertedObjects.map(\.entity.name) == [entity], "nothing was lost here")
    let other = ManagedObjectContext(coordinator)
    #expect(try other.count(for: FetchRequest(saved.key)) == 1)
    failing.failsCommits.withLock { $0 = false }
    try context.save()
    #expect(!context.hasChanges)
    for entity in ["Note", "Memo"] { #expect(try other.count(for: FetchRequest(entity)) == 1) }
  }
}
