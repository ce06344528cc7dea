import Foundation
import ObjectContext
import StoreContract

/// A program's own kind of store on its way into a container.
struct DataStoreOpening {
  /// Tells its configuration from the container's others.
  let id: String
  let name: String
  let schema: Schema?
  let description: PersistentStoreDescription

  /// Opens the store.
  ///
  /// - Parameters:
  ///   - configuration: Where it is.
  ///   - schema: The container's.
  ///   - plan: The container's migration plan, untyped.
  /// - Throws: what is wrong with the configuration, and why the store cannot be opened.
  init(
    _ configuration: any DataStoreConfiguration, in schema: Schema, plan: (any SendableMetatype.Type)?
  ) throws {
    func open<C: DataStoreConfiguration>(_ given: C) throws -> DataStoreOpening {
      var configuration = given
      let own = configuration.schema
      if own == nil { configuration.schema = schema }
      try configuration.validate()
      // The store may read snapshots already.
      let store = try SnapshotSchemas.$current.withValue(own ?? schema) {
        try C.Store(configuration, migrationPlan: plan as? any SchemaMigrationPlan.Type)
      }
      PersistentStoreCoordinator.registerStoreClass(CustomStore<C.Store>.self)
      var description = PersistentStoreDescription(type: CustomStore<C.Store>.storeType)
      description.options[CustomStore<C.Store>.option] = OpenedDataStore(store: store, schema: schema)
      return DataStoreOpening(configuration.name, store.identifier, own, description)
    }
    self = try open(configuration)
  }

  private init(
    _ name: String, _ identifier: String, _ schema: Schema?, _ description: PersistentStoreDescription
  ) {
    id = "store:\(UUID(uuidString: identifier)?.uuidString ?? identifier)"
    self.name = name
    self.schema = schema
    self.description = description
  }
}
