package import ObjectModel
package import StoreContract
import StoreTestKit

/// A factory of stores that lose their contents when they are closed.
package struct ForgetfulFactory: StoreFactory {
  private let make: @Sendable (ManagedObjectModel) -> any IncrementalStore

  package init(make: @escaping @Sendable (ManagedObjectModel) -> any IncrementalStore) {
    self.make = make
  }

  package func makeStore(_ model: ManagedObjectModel) async throws -> any IncrementalStore {
    let store = make(model)
    try await store.loadMetadata()
    return store
  }

  package func reopen(_ store: any IncrementalStore, _ model: ManagedObjectModel) async throws -> (
    any IncrementalStore
  )? {
    nil
  }
}
