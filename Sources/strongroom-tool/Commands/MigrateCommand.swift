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

      With --mapping a mapping model says what becomes of the data, and the store is copied in any case; \
      what it brings nowhere is dropped only with --allow-loss. Its dry run migrates a copy, which is \
      removed. One that needs policies, which are classes of a program, is refused.
      """)

  @OptionGroup var arguments: StoreArguments
  @Argument(help: "The new version of the model, or a store that has it.", completion: .file())
  var model: String
  @Flag(help: "Change nothing.") var dryRun = false
  @Flag(help: "Print the forecast as JSON.") var json = false
  @Flag(help: "Drop what the new version has no place for.") var allowLoss = false

  @Option(help: "An .xcmappingmodel or .cdm that does the migration.", completion: .file())
  var mapping: String?

  func run() async throws {
    if let mapping { return try await migrate(by: mapping) }
    var description = arguments.description()
    let new = try await ModelSource.model(model, arguments.keys)
    let forecast = try await SQLCipherStore.migrationForecast(for: description, to: new)
    try show(forecast)
    if dryRun {
      if !forecast.issues.isEmpty { throw ExitCode(1) }
      return
    }
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
    if !json { print(forecast.isCurrent ? "nothing was done" : "migrated") }
  }

  private func migrate(by path: String) async throws {
    if json { throw ValidationError("--json is the form of a forecast, and a mapping model has none") }
    let migration = MappedMigration(
      description: arguments.description(), model: try await ModelSource.model(model, arguments.keys),
      mapping: try MappingModel(contentsOf: URL(fileURLWithPath: path)))
    guard try await migration.show(allowLoss: allowLoss || dryRun) else { return print("nothing was done") }
    if dryRun {
      try await migration.tryOut()
      return print("it would be migrated; nothing was changed")
    }
    try await migration.run()
    print("migrated; a copy stays beside the store")
  }

  private func show(_ forecast: MigrationForecast) throws {
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      print(String(decoding: try encoder.encode(forecast), as: UTF8.self))
      return
    }
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
