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

  /// Prints the mapping and what it leaves behind.
  /// - Returns: Whether there is anything to do.
  /// - Throws: `ToolFailure` when data would be dropped, which was not allowed.
  func show(allowLoss: Bool, isQuiet: Bool) async throws -> Bool {
    let old = try await KeyArguments.model(description)
    if old.versionHash == model.versionHash { return false }
    // For the entities and properties that the mapping model has and the models have not.
    let generated = try mapping.generatingExpressions(from: old, to: model)
    if !isQuiet { print(MappingTable(generated).text, terminator: "") }
    var reading = description
    reading.isReadOnly = true
    let container = PersistentContainer(managedObjectModel: old, description: reading)
    try await container.loadPersistentStores()
    let losses = Result { try MappingLosses(generated, container.newContext()) }
    try container.close()
    let lines = try losses.get().lines
    if !isQuiet {
      if lines.isEmpty { print("nothing is dropped, policies aside") }
      for line in lines { print("dropped: \(line)") }
    }
    if !lines.isEmpty, !allowLoss {
      throw ToolFailure("the mapping model drops data; --allow-loss lets it; nothing was changed")
    }
    return true
  }

  /// Migrates the store, and shows how far it is.
  func run() async throws {
    try await migrate(description)
  }

  /// Migrates a copy of the store, which is removed: what fails now would fail then.
  func tryOut() async throws {
    var copy = description
    let place = URL(fileURLWithPath: (description.url?.path ?? "") + ".dry-run.\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: place) }
    let url = place.appendingPathComponent("store")
    try await SQLCipherStore.backUp(description, to: url)
    copy.url = url
    try await migrate(copy)
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
        guard let error = error as? MappingModelError, error.code == .missingPolicies else { throw error }
        throw ToolFailure(
          "the mapping model needs the policies \(error.policyClassNames.joined(separator: ", ")), which are"
            + " classes of a program: let that migrate the store; nothing was changed")
      }
      bar.withLock { $0.finish() }
      try container.close()
    }
  }
}
