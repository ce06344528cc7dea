import ArgumentParser
import Foundation
import MappingModels
import Strongroom

/// Migrates a store through versions of its model in one opening: by mapping models where they are
/// given, by inference where not.
struct StagedMigration: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "staged")

  @Argument(help: "The store.") var store: String
  @Option(help: "The file with its key.") var keys: String
  @Option(help: "The bundle of model versions.") var bundle: String
  @Option(parsing: .upToNextOption, help: "The versions, the first and the last among them.")
  var versions: [String]
  @Option(parsing: .upToNextOption, help: "For each step a mapping model, or -.") var mappings: [String]

  func run() async throws {
    let all = try XCDataModelBundle(url: URL(fileURLWithPath: bundle)).versions
    let models = try versions.map { name in
      guard let version = all.first(where: { $0.name == name }) else {
        throw ValidationError("\(bundle) has no version \(name)")
      }
      return try ManagedObjectModel.load(version).model
    }
    guard let last = models.last, mappings.count == models.count - 1 else {
      throw ValidationError("a mapping model or - for each step")
    }
    let references = models.map { ManagedObjectModelReference(model: $0) }
    let stages = try mappings.enumerated().map { step, path in
      var stage = CustomMigrationStage(migratingFrom: references[step], to: references[step + 1])
      if path != "-" { stage.mappingModel = try MappingModel(contentsOf: URL(fileURLWithPath: path)) }
      return stage
    }
    var description = PersistentStoreDescription(
      url: URL(fileURLWithPath: store), vault: KeyFileVault(url: URL(fileURLWithPath: keys)))
    description.createsIfMissing = false
    description.stagedMigrationManager = StagedMigrationManager(stages)
    let container = PersistentContainer(managedObjectModel: last, description: description)
    try await container.loadPersistentStores()
    try container.close()
    for issue in try await SQLCipherStore.verify(description) { print("verify: \(issue)") }
  }
}
