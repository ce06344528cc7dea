package import ObjectModel
package import StoreContract
import StoreTestKit
package import StrongroomPostgres

/// Makes stores in schemas of their own.
package struct PostgresFactory: StoreFactory {
  package init() {}

  package func makeStore(_ model: ManagedObjectModel) async throws -> any IncrementalStore {
    try await Self.store(model)
  }

  package static func store(
    _ model: ManagedObjectModel, schema: String? = nil,
    _ change: (inout PersistentStoreDescription) -> Void = { _ in }
  ) async throws -> PostgresStore {
    var description = try description(schema: schema ?? PostgresServer.shared().newSchema())
    change(&description)
    let store = try PostgresStore(model: model, description: description)
    try await store.loadMetadata()
    return store
  }

  /// A store in a schema of this process's server.
  package static func description(schema: String) throws -> PersistentStoreDescription {
    var description = PersistentStoreDescription(
      type: PostgresStore.storeType, url: try PostgresServer.shared().url)
    description.serverSchema = schema
    return description
  }

  package func reopen(
    _ store: any IncrementalStore, _ model: ManagedObjectModel
  ) async throws -> (any IncrementalStore)? {
    guard let own = store as? PostgresStore else { return nil }
    let schema = own.description.serverSchema
    try store.close()
    return try await Self.store(model, schema: schema)
  }

  package var storesNullCharacters: Bool { false }
}
