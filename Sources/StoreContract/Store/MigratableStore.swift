package import ObjectModel

/// A kind of store whose files contain their model, so that they can follow another version of it.
package protocol MigratableStore: IncrementalStore {
  /// The model that a store describes itself with.
  static func storedModel(_ description: PersistentStoreDescription) async throws -> ManagedObjectModel

  /// What opening a store with another version of its model would do.
  static func migrationForecast(
    for description: PersistentStoreDescription, to model: ManagedObjectModel
  ) async throws -> MigrationForecast
}
