import ArgumentParser
import Foundation
import MappingModels
import Strongroom

struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Moves a store to another version of its model, or says what that would do.",
    discussion: """
      With --dry-run nothing is changed, and other programs may use the store meanwhile: the command prints \
      what becomes of each entity and property, how many values would be dropped, and why the migration \
      would fail; it exits 1 if it would. Without it no process may have the store open, and data is \
      dropped only with --allow-loss, after the whole store was copied to STORE.before-migration.

      With --through, given once for each version in between, the store takes each step, oldest first. With \
      --mapping a mapping model says what becomes of the data, and the store is copied in any case; what it \
      brings nowhere is dropped only with --allow-loss. Its dry run migrates a copy, which is removed. One \
      that needs policies, which are classes of a program, is refused.
      """)

  @OptionGroup var arguments: StoreArguments
  @Argument(help: "The new version of the model, or a store that has it.", completion: .file())
  var model: String
  @Flag(help: "Change nothing.") var dryRun = false
  @Flag(help: "Print the forecast as JSON.") var json = false
  @Flag(help: "Drop what the new version has no place for.") var allowLoss = false

  @Option(
    help: "A version of the model in between; may be given several times.", completion: .file())
  var through: [String] = []
  @Option(help: "An .xcmappingmodel or .cdm that does the migration.", completion: .file())
  var mapping: String?

  func validate() throws {
    if mapping != nil, !through.isEmpty { throw ValidationError("give --mapping or --through, not both") }
  }

  func run() async throws {
    let new = try await ModelSource.model(model, arguments.keys)
    if let mapping { return try await migrate(by: mapping, to: new) }
    if !through.isEmpty { return try await migrateInStages(to: new) }
    let description = arguments.description()
    let forecast = try await SQLCipherStore.migrationForecast(for: description, to: new)
    try show(forecast)
    if dryRun {
      if !forecast.issues.isEmpty { throw ExitCode(1) }
      return
    }
    try await migrate(description, to: new)
    if !json { print(forecast.isCurrent ? "nothing was done" : "migrated") }
  }

  private func migrate(_ description: PersistentStoreDescription, to new: ManagedObjectModel) async throws {
    var description = description
    description.allowsLossyMigration = allowLoss
    let container = PersistentContainer(managedObjectModel: new, description: description)
    do {
      try await container.loadPersistentStores()
    } catch let error as StoreError where error.code == .lossyMigration {
      throw StoreError(
        .lossyMigration,
        "the new version of the model has no place for some of the store's data:"
          + " \(error.migrationForecast?.lossSummary ?? "it would drop some"); pass --allow-loss to have it"
          + " dropped, after a copy of the store was made; nothing was changed")
    }
    try container.close()
  }

  private func migrate(by path: String, to new: ManagedObjectModel) async throws {
    let migration = MappedMigration(
      description: arguments.description(), model: new,
      mapping: try MappingModel(contentsOf: URL(fileURLWithPath: path)))
    let forecast = try await migration.forecast()
    if json { try printJSON(forecast) }
    if !json, !forecast.isCurrent { try await migration.show(forecast) }
    if forecast.isCurrent { return json ? () : print("nothing was done") }
    try migration.check(forecast, allowLoss: allowLoss || dryRun)
    try await dryRun ? migration.tryOut() : migration.run()
    if json { return }
    print(dryRun ? "it would be migrated; nothing was changed" : "migrated; a copy stays beside the store")
  }

  private func migrateInStages(to new: ManagedObjectModel) async throws {
    var description = arguments.description()
    var versions = [ManagedObjectModelReference(model: try await KeyArguments.model(description))]
    for path in through + [model] {
      versions.append(ManagedObjectModelReference(model: try await ModelSource.model(path, arguments.keys)))
    }
    description.stagedMigrationManager = StagedMigrationManager([LightweightMigrationStage(versions)])
    let container = PersistentContainer(managedObjectModel: new, description: description)
    let forecast = try await container.stagedMigrationForecasts()[0]
    if json { try printJSON(forecast) } else { for line in forecast.lines { print(line) } }
    if dryRun {
      if !forecast.issues.isEmpty { throw ExitCode(1) }
      return
    }
    try await migrate(description, to: new)
    if !json { print(forecast.isCurrent ? "nothing was done" : "migrated") }
  }

  private func printJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  private func show(_ forecast: MigrationForecast) throws {
    if json { return try printJSON(forecast) }
    for line in forecast.lines { print(line) }
    for issue in forecast.issues {
      for uri in issue.objectURIs { print("  \(uri.absoluteString)") }
    }
    if forecast.isCurrent { return }
    print(
      forecast.isAdditive
        ? "additive: no table is written again"
        : "tables written again: \(list(forecast.rebuiltEntities))")
    print(
      forecast.isLossy
        ? "dropped: objects \(forecast.droppedObjectCount), values \(forecast.droppedValueCount),"
          + " references \(forecast.droppedReferenceCount); a copy stays beside the store"
        : "nothing is dropped")
    print(
      "about \(max(1, Int(forecast.estimatedSeconds.rounded(.up)))) s, and"
        + " \((forecast.estimatedBytes + 1_048_575) / 1_048_576) MiB of disk meanwhile")
  }

  private func list(_ names: [String]) -> String { names.isEmpty ? "none" : names.joined(separator: ", ") }
}
