import Foundation
import ObjectModel
import SQLCipherStore
import StoreContract

/// Brings a store up to the newest version of a plan, through the stages of the engine.
///
/// `willMigrate` and `didMigrate` work on a copy that replaces the store when all stages are done:
/// so what `willMigrate` keeps in memory is there in `didMigrate`, however often the program was
/// stopped in between.
struct MigrationRun {
  private let plan: any SchemaMigrationPlan.Type
  private let configuration: ModelConfiguration
  private let schemas: [Schema]

  init(_ plan: any SchemaMigrationPlan.Type, _ configuration: ModelConfiguration) {
    self.plan = plan
    self.configuration = configuration
    schemas = plan.schemas.map { Schema(versionedSchema: $0) }
  }

  /// What the program's own work throws, which is passed on as it is.
  private struct OwnError: Error {
    let cause: any Error
  }

  /// - Returns: Whether the store is newer than the schema, and is to be opened for reading only.
  /// - Throws: `SwiftDataError.unsupportedMigration` when the store is of none of the plan's
  ///   versions, `backwardMigration` when it is of a newer one than the schema; what the program's own
  ///   work throws.
  func run(to destination: Schema) throws -> Bool {
    guard !configuration.isStoredInMemoryOnly else { return false }
    let (description, model) = (StorePlan.store(configuration), try destination.managedObjectModel())
    let type = try configuration.storeClass
    do {
      try follow(to: model, description) { try await $0.run(type, $1, to: model) }
      return false
    } catch let error as StoreError
      where error.code == .newerModelVersion && description.opensNewerStoreReadOnly
    {
      return true
    } catch let error as OwnError {
      throw error.cause
    } catch let error as StoreError {
      throw Self.translated(error)
    }
  }

  /// What `run(to:)` would do; nothing is written.
  /// - Throws: As `run(to:)`, except for what the program's own work throws.
  func forecast(to destination: Schema) throws -> StagedMigrationForecast {
    let (description, model) = (StorePlan.store(configuration), try destination.managedObjectModel())
    let type = try configuration.storeClass
    do {
      return try follow(to: model, description) { try await $0.forecast(type, $1, to: model) }
    } catch let error as StoreError {
      throw Self.translated(error)
    }
  }

  /// Follows the plan, and where a file is of none of its versions, but was imported from one, from there.
  private func follow<Result: Sendable>(
    to model: ManagedObjectModel, _ description: PersistentStoreDescription,
    _ body: @escaping @Sendable (StagedMigration, PersistentStoreDescription) async throws -> Result
  ) throws -> Result {
    let migration = try stages(to: model)
    do {
      return try OpeningThread.wait { try await body(migration, description) }
    } catch let error as StoreError
      where error.code == .unknownModelVersion && !configuration.isOnServer
    {
      let stored = try OpeningThread.wait { try await SQLCipherStore.importedModel(description) }
      guard let imported = stored,
        let place = schemas.firstIndex(where: {
          imported.declaration.versionIdentifiers.contains($0.version.description)
        })
      else { throw error }
      var description = description
      description.valueConversions = schemas[place].conversions(of: imported)
      let (migration, adopting) = (try stages(to: model, from: (imported, place)), description)
      return try OpeningThread.wait { try await body(migration, adopting) }
    }
  }

  private static func translated(_ error: StoreError) -> SwiftDataError {
    switch error.code {
    case .unknownModelVersion:
      SwiftDataError(
        .unsupportedMigration,
        "the store was made with a version that is not in the plan; add that version to schemas, oldest"
          + " first", cause: error)
    case .newerModelVersion:
      SwiftDataError(
        .backwardMigration, "the store was made with a newer version of the schema; update the program",
        cause: error)
    case .modelMismatch, .duplicateModelVersion:
      SwiftDataError(
        .unsupportedMigration, "the store cannot be brought up to the schema: \(error.message)", cause: error)
    default:
      SwiftDataError(.loadIssueModelContainer, "the store cannot be opened: \(error)", cause: error)
    }
  }

  /// The stages of the plan, with `imported` before the version at a place of the plan instead of the
  /// versions that come before that one.
  private func stages(
    to destination: ManagedObjectModel, from imported: (model: ManagedObjectModel, place: Int)? = nil
  ) throws -> StagedMigration {
    let models = try schemas.map { try $0.managedObjectModel() }
    guard models.contains(where: { $0.versionHash == destination.versionHash }) else {
      throw SwiftDataError(
        .unsupportedMigration,
        "the container's schema is none of the plan's versions; add it to schemas, or leave the plan out")
    }
    var migration = StagedMigration()
    if let imported { migration.append(StagedMigration.Version(imported.model)) }
    for (place, model) in models.enumerated().dropFirst(imported?.place ?? 0) {
      migration.append(StagedMigration.Version(model))
      guard case .custom(_, _, let will, let did)? = stage(from: place), place + 1 < models.count else {
        continue
      }
      try migration.append(
        from: model, to: models[place + 1], willMigrate: work(place, will), didMigrate: work(place + 1, did))
    }
    return migration
  }

  private func stage(from place: Int) -> MigrationStage? {
    plan.stages.first { stage in
      switch stage {
      case .lightweight(let from, _), .custom(let from, _, _, _): from == plan.schemas[place]
      }
    }
  }

  private func work(
    _ place: Int, _ body: (@Sendable (ModelContext) throws -> Void)?
  ) -> StagedMigration.Work? {
    guard let body else { return nil }
    let (schema, configuration) = (schemas[place], configuration)
    return { _, description in
      let core = try ContainerCore(schema, [configuration.draft(description)])
      do {
        try body(ModelContext(core))
      } catch {
        try? core.engine.close()
        throw OwnError(cause: error)
      }
      try core.engine.close()
    }
  }
}
