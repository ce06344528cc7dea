import Foundation
import Locks
package import ObjectModel
public import StoreContract

/// Migrates stores through the versions of their model, in stages.
///
/// As `NSStagedMigrationManager`: set it as the `stagedMigrationManager` of a store's description.
/// A store of any version that the stages name is then brought to the model with which it is
/// opened, whole or not at all: a store that goes through a custom stage is copied, the stages are
/// done on the copy, and the copy replaces the store. Inferred steps go from version to version; a
/// version that cannot be inferred is skipped where a later one can be.
public final class StagedMigrationManager: Sendable {
  /// The stages, oldest first.
  public let stages: [any ModelMigrationStage]
  private let current = Locked<PersistentContainer?>(nil)

  /// The container with the store that is being migrated, while a handler runs; else nil.
  public var container: PersistentContainer? { current.withLock { $0 } }

  /// Makes a manager; the last stage ends at the model of the coordinator, or just before.
  public init(_ stages: [any ModelMigrationStage]) { self.stages = stages }

  private func work(
    _ handler: CustomMigrationStage.Handler?, _ stage: CustomMigrationStage
  ) -> StagedMigration.Work? {
    guard let handler else { return nil }
    return { model, description in
      let container = PersistentContainer(
        name: stage.label, managedObjectModel: model, persistentStoreDescription: description)
      try await container.loadPersistentStores()
      self.current.withLock { $0 = container }
      defer { self.current.withLock { $0 = nil } }
      do {
        try handler(self, stage)
      } catch {
        try? container.close()
        throw error
      }
      try container.close()
    }
  }
}

extension StagedMigrationManager: StoreMigrating {
  package func migrate(
    _ type: any MigratableStore.Type, _ description: PersistentStoreDescription, to model: ManagedObjectModel
  ) async throws {
    try await stagedMigration().run(type, description, to: model)
  }

  package func forecast(
    _ type: any MigratableStore.Type, _ description: PersistentStoreDescription, to model: ManagedObjectModel
  ) async throws -> StagedMigrationForecast {
    try await stagedMigration().forecast(type, description, to: model)
  }

  private func stagedMigration() throws -> StagedMigration {
    var migration = StagedMigration()
    for stage in stages {
      switch stage {
      case let stage as LightweightMigrationStage:
        for checksum in stage.versionChecksums {
          if let reference = stage.references[checksum] {
            migration.append(StagedMigration.Version(try reference.resolvedModel))
          } else {
            migration.append(StagedMigration.Version(hash: Data(base64Encoded: checksum) ?? Data()))
          }
        }
      case let stage as CustomMigrationStage:
        try migration.append(
          from: stage.currentModel.resolvedModel, to: stage.nextModel.resolvedModel, filledBy: stage.filling,
          willMigrate: work(stage.willMigrateHandler, stage), didMigrate: work(stage.didMigrateHandler, stage)
        )
      default:
        throw StoreError(
          .unsupportedRequest, "a stage is neither a LightweightMigrationStage nor a CustomMigrationStage")
      }
    }
    return migration
  }
}

extension PersistentStoreDescription {
  /// Migrates the store in stages when it is opened with another version of its model; nil, as by
  /// default, for one step.
  ///
  /// Opening throws `unknownModelVersion` when the store has a version that no stage names,
  /// `newerModelVersion` when it has a later one than the coordinator's model,
  /// `duplicateModelVersion` when the two versions of a custom stage are the same, and what handlers
  /// throw; the store is then as it was.
  public var stagedMigrationManager: StagedMigrationManager? {
    get { storeMigration as? StagedMigrationManager }
    set { storeMigration = newValue }
  }
}
