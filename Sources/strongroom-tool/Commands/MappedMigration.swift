import ArgumentParser
import Foundation
import Locks
import MappingModels
import Strongroom

/// Migrates a store by a mapping model, or says what that would do.
struct MappedMigration {
  let description: PersistentStoreDescription
  let model: ManagedObjectModel
  let mapping: MappingModel

  /// What would be done, as stages.
  func forecast() async throws -> StagedMigrationForecast {
    var description = description
    description.mappingModel = mapping
    return try await PersistentContainer(managedObjectModel: model, description: description)
      .stagedMigrationForecasts()[0]
  }

  /// Prints what the mapping model does, and what it leaves behind.
  func show(_ forecast: StagedMigrationForecast) async throws {
    let old = try await KeyArguments.model(description)
    // For the entities and properties that the mapping model has and the models have not.
    print(MappingTable(try mapping.generatingExpressions(from: old, to: model)).text, terminator: "")
    for line in forecast.lines { print(line) }
  }

  /// - Throws: `ToolFailure` when the migration needs policies, or would drop data, which was not allowed.
  func check(_ forecast: StagedMigrationForecast, allowLoss: Bool) throws {
    let policies = mapping.policyClassNames
    if !policies.isEmpty {
      throw ToolFailure(
        "the mapping model needs the policies \(policies.joined(separator: ", ")), which are classes of a"
          + " program: let that migrate the store; nothing was changed")
    }
    if forecast.isLossy, !allowLoss {
      throw ToolFailure("the mapping model drops data; --allow-loss lets it; nothing was changed")
    }
  }

  /// Migrates the store, and shows how far it is.
  func run() async throws {
    try await migrate(description)
  }

  /// Migrates a copy of the store, which is removed: what fails now would fail then.
  func tryOut() async throws {
    let copy = try await TrialCopy(of: description)
    defer { copy.remove() }
    try await migrate(copy.description)
  }

  private func migrate(_ description: PersistentStoreDescription) async throws {
    try await Interruptible.run {
      let bar = Locked(ProgressBar("migrating", total: 1000, showsCount: false))
      var description = description
      description.mappingModel = mapping
      description.mappingModelProgressHandler = { done in bar.withLock { $0.update(Int(done * 1000)) } }
      let container = PersistentContainer(managedObjectModel: model, description: description)
      do {
        try await container.loadPersistentStores()
      } catch {
        bar.withLock { $0.finish(isWhole: false) }
        throw error
      }
      bar.withLock { $0.finish() }
      try container.close()
    }
  }
}
