import ObjectModel
import StoreContract
import StoreTestKit
import Testing

private struct InMemoryFactory: StoreFactory {
  func makeStore(_ model: ManagedObjectModel) async throws -> any IncrementalStore {
    let store = InMemoryStore(
      model: model, description: PersistentStoreDescription(type: InMemoryStore.storeType))
    try await store.loadMetadata()
    return store
  }

  func reopen(_ store: any IncrementalStore, _ model: ManagedObjectModel) async throws -> (
    any IncrementalStore
  )? { nil }
}

@Suite("The in-memory store does a store's duties")
struct InMemoryStoreTests {
  @Test(arguments: StoreCheck.all)
  func duty(_ check: StoreCheck) async throws { try await check.run(InMemoryFactory()) }
}
