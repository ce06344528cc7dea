import MinimalStore
import StoreContract
import StoreTestKit
import Testing

@Suite("The duties of a store")
struct MinimalStoreTests {
  @Test("are done by the least store that a stranger would write", arguments: StoreCheck.all)
  func duties(_ check: StoreCheck) async throws {
    let description = PersistentStoreDescription(type: MinimalStore.storeType)
    try await check.run(ForgetfulFactory { MinimalStore(model: $0, description: description) })
  }
}
