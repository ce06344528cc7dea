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

  @Test("A history of more transactions than it has room for refuses tokens of the oldest")
  func bound() async throws {
    let model = try ManagedObjectModel { Entity("Thing") { Attribute("name", .string) } }
    let store = try await InMemoryFactory().makeStore(model)
    let thing = try #require(model.entity(named: "Thing"))
    var first: PersistentHistoryToken?
    for number in 0...10_000 {
      var isDone = false
      _ = try store.insert(into: thing) { _ in
        defer { isDone = true }
        return !isDone
      }
      if number == 0 { first = try store.currentHistoryToken }
    }
    let token = try #require(first)
    #expect {
      _ = try store.execute(.fetchHistory(after: token))
    } throws: {
      ($0 as? StoreError)?.code == .historyTokenExpired
    }
    #expect(try store.execute(.fetchHistory(afterTransaction: 0)).count == 5001)
  }
}
