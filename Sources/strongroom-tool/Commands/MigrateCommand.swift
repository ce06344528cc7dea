import ArgumentParser
import Foundation
import MappingModels
import Strongroom
import StrongroomPostgres

struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Moves a store to another version of its model, or says what that would do.",
    discussion: """
      With --dry-run nothing is changed, and other programs may use the store meanwhile: the command prints \
      what becomes of each entity and property, how many values would be dropped, and why the migration \
      would fail; it exits 1 if the command without it would, also for want of --allow-loss. Without it no \
      process may have the store open, and data is dropped only with --allow-loss, after the whole store was \
      copied to STORE.before-migration (or -2, -3), which `strongroom restore --replace COPY STORE` puts \
      back. On a server the copy is a schema, SCHEMA_before_ with the time behind it, which opens as a store \
      of the former version; DROP SCHEMA … CASCADE removes it.

      With --through, given once for each version in between, the store takes each step, oldest first. With \
      --mapping a mapping model says what becomes of the data, and the store is copied in any case; what it \
      brings nowhere is dropped only with --allow-loss. Its dry run migrates a copy, which is removed. One \
      that needs policies, which are classes of a program, is refused, and so is a store on a server.

      Examples:
        strongroom migrate library.store Library2.xcdatamodel --dry-run
        strongroom migrate library.store Library.xcdatamodeld --allow-loss
        strongroom migrate my.store My3.xcdatamodel --through My2.xcdatamodel
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
    let description = try description()
    let forecast = try await description.storeClass.migrationForecast(for: description, to: new)
    try show(forecast, isOnServer: description.isOnServer)
    if dryRun { return try endTrial(isRefused: !forecast.issues.isEmpty, isLossy: forecast.isLossy) }
    let copies = PreMigrationCopies(of: arguments.store)
    try await migrate(description, to: new)
    report(description, isCurrent: forecast.isCurrent, isLossy: forecast.isLossy, copies)
  }

  /// The store; a dry run reads it on a standby as well.
  private func description() throws -> PersistentStoreDescription {
    var description = try arguments.description()
    if dryRun, description.isOnServer { description.isReadOnly = true }
    return description
  }

  private func report(
    _ description: PersistentStoreDescription, isCurrent: Bool, isLossy: Bool, _ earlier: PreMigrationCopies
  ) {
    Terminal.done(isCurrent ? "nothing was done" : "migrated", isPrinted: !json)
    if json { return }
    if description.isOnServer {
      if isLossy { print(PreMigrationCopies.note(onServer: description.serverSchema)) }
      return
    }
    let note = PreMigrationCopies(of: arguments.store).note(since: earlier, arguments.store)
    if let note { print(note) }
    let log = arguments.store + "-wal"
    let size = (try? FileManager.default.attributesOfItem(atPath: log)[.size] as? Int) ?? nil
    if size ?? 0 > 0 {
      print(
        "a part of the store is in \(log) still: another program has the store open, or its disk is full;"
          + " keep the two together")
    }
  }

  /// What a migration that drops data needs.
  private func lossNotes() -> [String] {
    ["only --allow-loss lets it"] + [PreMigrationCopies(of: arguments.store).fullNote].compactMap { $0 }
  }

  private func migrate(_ description: PersistentStoreDescription, to new: ManagedObjectModel) async throws {
    var description = description
    description.allowsLossyMigration = allowLoss
    if description.isOnServer, !json {
      // Called where the new version seals the store's first attribute.
      let note = arguments.keys.recoveryNote(arguments.store)
      description.recoveryCodeHandler = { _ in print(note) }
    }
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
      description: try arguments.file(otherwise: "it applies mapping models to files only"), model: new,
      mapping: try MappingModel(contentsOf: URL(fileURLWithPath: path)))
    let forecast = try await migration.forecast()
    if json { try print(JSONText.of(forecast)) }
    if !json, !forecast.isCurrent { try await migration.show(forecast) }
    if forecast.isCurrent { return json ? () : print("nothing was done") }
    try migration.check(forecast, allowLoss: allowLoss || dryRun)
    let copies = PreMigrationCopies(of: arguments.store)
    guard dryRun else {
      try await migration.run()
      return report(migration.description, isCurrent: false, isLossy: forecast.isLossy, copies)
    }
    try await migration.tryOut()
    if json { return try endTrial(isRefused: false, isLossy: forecast.isLossy) }
    print("it would be migrated; nothing was changed")
    if forecast.isLossy, !allowLoss { print("it would drop data: only --allow-loss lets it") }
    if let note = copies.fullNote { print(note) }
    try endTrial(isRefused: false, isLossy: forecast.isLossy)
  }

  /// Exits as the migration itself would.
  private func endTrial(isRefused: Bool, isLossy: Bool) throws {
    if isRefused || isLossy && !allowLoss { throw ExitCode(1) }
  }

  private func migrateInStages(to new: ManagedObjectModel) async throws {
    var description = try description()
    var versions = [ManagedObjectModelReference(model: try await KeyArguments.model(description))]
    for path in through + [model] {
      versions.append(ManagedObjectModelReference(model: try await ModelSource.model(path, arguments.keys)))
    }
    description.stagedMigrationManager = StagedMigrationManager([LightweightMigrationStage(versions)])
    let container = PersistentContainer(managedObjectModel: new, description: description)
    let forecast = try await container.stagedMigrationForecasts()[0]
    if json { try print(JSONText.of(forecast)) } else { for line in forecast.lines { print(line) } }
    if !json, forecast.isLossy { for note in ["data would be dropped"] + lossNotes() { print(note) } }
    if dryRun { return try endTrial(isRefused: !forecast.issues.isEmpty, isLossy: forecast.isLossy) }
    let copies = PreMigrationCopies(of: arguments.store)
    try await migrate(description, to: new)
    report(description, isCurrent: forecast.isCurrent, isLossy: forecast.isLossy, copies)
  }

  private func show(_ forecast: MigrationForecast, isOnServer: Bool) throws {
    if json { return try print(JSONText.of(forecast)) }
    for line in forecast.lines {
      print(line)
      if let issue = forecast.issues.first(where: { line == "impossible: \($0)" }) { showObjects(of: issue) }
    }
    if forecast.isCurrent { return }
    print(
      forecast.isAdditive
        ? "additive: no table is written again"
        : "tables written again: \(list(forecast.rebuiltEntities))")
    print(
      forecast.isLossy
        ? "dropped: objects \(forecast.droppedObjectCount), values \(forecast.droppedValueCount),"
          + " references \(forecast.droppedReferenceCount), orders \(forecast.droppedOrderCount);"
          + " a copy stays \(isOnServer ? "in a schema of its own" : "beside the store")"
        : "nothing is dropped")
    if forecast.isLossy, forecast.issues.isEmpty { for note in lossNotes() { print(note) } }
    print(
      "about \(max(1, Int(forecast.estimatedSeconds.rounded(.up)))) s, and"
        + " \((forecast.estimatedBytes + 1_048_575) / 1_048_576) MiB of disk meanwhile")
  }

  private static let mostObjects = 5

  private func showObjects(of issue: MigrationIssue) {
    for uri in issue.objectURIs.prefix(Self.mostObjects) { print("  \(uri.absoluteString)") }
    let left = issue.objectCount - Self.mostObjects
    if left > 0 { print("  and \(left) more") }
  }

  private func list(_ names: [String]) -> String { names.isEmpty ? "none" : names.joined(separator: ", ") }
}
