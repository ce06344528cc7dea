public import ObjectContext
package import ObjectModel
public import StoreContract

extension PersistentStoreDescription {
  /// Migrates the store by a mapping model when it is opened with another version of its model; nil,
  /// as by default, for what can be inferred.
  ///
  /// It takes the place of `stagedMigrationManager`, and the other way round. The version that the
  /// store has is the old one. A new store is filled beside the old one and takes its place when it
  /// is complete; the old one stays as `STORE.before-migration`, whatever `allowsLossyMigration`
  /// says, since the mapping model decides what comes along.
  ///
  /// Opening throws `MappingModelError`, what policies throw, `ContextError` with code `validation`
  /// when the new objects break rules of the model, and `StoreError` with code `cancelled`; the store
  /// is then as it was.
  public var mappingModel: MappingModel? {
    get { (storeMigration as? MappingMigration)?.mapping }
    set { storeMigration = newValue.map(MappingMigration.init) }
  }

  private static let progressKey = "mappingModelProgress"

  /// Called with how far a migration by a mapping model is, from 0 to 1, on the thread that opens
  /// the store.
  public var mappingModelProgressHandler: (@Sendable (Double) -> Void)? {
    get { (options[Self.progressKey] as? ProgressHandler)?.report }
    set { options[Self.progressKey] = newValue.map(ProgressHandler.init) }
  }
}

private struct ProgressHandler: Sendable {
  let report: @Sendable (Double) -> Void
}

extension CustomMigrationStage {
  /// The mapping model that does the step between the versions; nil, as by default, where it is
  /// inferred.
  ///
  /// The handlers are called before and after. Throws as `PersistentStoreDescription.mappingModel`.
  public var mappingModel: MappingModel? {
    get { filling as? MappingModel }
    set { filling = newValue }
  }
}

/// The migration from whatever version a store has to the program's, in one step.
struct MappingMigration: StoreMigrating {
  let mapping: MappingModel

  func migrate(
    _ type: any MigratableStore.Type, _ description: PersistentStoreDescription, to model: ManagedObjectModel
  ) async throws {
    guard try await StagedMigration.storedModel(type, description) != nil,
      let migration = try await stages(type, description, model)
    else { return }
    try await migration.run(type, description, to: model)
  }

  func forecast(
    _ type: any MigratableStore.Type, _ description: PersistentStoreDescription, to model: ManagedObjectModel
  ) async throws -> StagedMigrationForecast {
    guard let migration = try await stages(type, description, model) else {
      return StagedMigrationForecast([])
    }
    return try await migration.forecast(type, description, to: model)
  }

  /// The one stage from the store's version; nil where it is the program's.
  private func stages(
    _ type: any MigratableStore.Type, _ description: PersistentStoreDescription, _ model: ManagedObjectModel
  ) async throws -> StagedMigration? {
    let stored = try await type.storedModel(description)
    if stored.versionHash == model.versionHash { return nil }
    var migration = StagedMigration()
    try migration.append(from: stored, to: model, filledBy: mapping)
    return migration
  }
}

extension MappingModel: StoreFilling {
  package func fill(
    _ destination: PersistentStoreDescription, _ destinationModel: ManagedObjectModel,
    from source: PersistentStoreDescription, _ sourceModel: ManagedObjectModel
  ) async throws {
    try await MigrationManager.migrateStore(
      source, of: sourceModel, to: destination, of: destinationModel, with: self,
      progress: destination.mappingModelProgressHandler ?? { _ in })
  }
}
