public import ObjectModel
public import StoreContract

extension PersistentStoreCoordinator {
  /// What adding a store would do to a file that was made with another version of the model.
  ///
  /// Nothing is changed. The statements are those of `SQLCipherStore.migrationForecast(for:to:)`.
  /// - Throws: `noStore` when the store's type is not registered; `StoreError`:
  ///   `unsupportedRequest` for a store that has no file with a model, `fileMissing`, and as opening.
  public func migrationForecast(
    for description: PersistentStoreDescription
  ) async throws -> MigrationForecast {
    try await Self.migratableType(description).migrationForecast(for: description, to: managedObjectModel)
  }

  static func migratableType(
    _ description: PersistentStoreDescription
  ) throws -> any MigratableStore.Type {
    guard let type = registeredStoreTypes[description.type] else {
      throw ContextError(.noStore, "no store of type \(description.type) is registered")
    }
    guard let migratable = type as? any MigratableStore.Type else {
      throw StoreError(
        .unsupportedRequest, "a store of type \(description.type) is not migrated; open it with its model")
    }
    return migratable
  }
}
