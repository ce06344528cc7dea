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

  /// What adding a store would do to a file that was made with another version of the model, by the
  /// stages or the mapping model that its description has.
  ///
  /// Nothing is changed, and no work of the program's own is run: what it does is stated as unknown.
  /// The rows are read in the version that the file has; the numbers of objects and values of later
  /// stages are those that inference makes of them. A description without stages has one, and so does
  /// a mapping model. Issues the statements of `SQLCipherStore.migrationForecast(for:to:)`; for a
  /// mapping model, one or two for each entity and one for each attribute that is dropped.
  /// - Throws: As `migrationForecast(for:)`; `StoreError`: `unknownModelVersion`, `newerModelVersion`,
  ///   `duplicateModelVersion`; what a mapping model throws that does not fit the models.
  public func stagedMigrationForecast(
    for description: PersistentStoreDescription
  ) async throws -> StagedMigrationForecast {
    let type = try Self.migratableType(description)
    var alone = description
    alone.storeMigration = nil
    if let migration = description.storeMigration {
      return try await migration.forecast(type, alone, to: managedObjectModel)
    }
    var single = StagedMigration()
    single.append(StagedMigration.Version(try await type.storedModel(alone)))
    return try await single.forecast(type, alone, to: managedObjectModel)
  }

  static func migratableType(
    _ description: PersistentStoreDescription
  ) throws -> any MigratableStore.Type {
    guard let type = registeredStoreTypes[description.type] else {
      throw ContextError.noStoreType(description.type)
    }
    guard let migratable = type as? any MigratableStore.Type else {
      throw StoreError(
        .unsupportedRequest, "a store of type \(description.type) is not migrated; open it with its model")
    }
    return migratable
  }
}
