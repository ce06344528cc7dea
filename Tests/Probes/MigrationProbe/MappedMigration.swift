import ArgumentParser
import Foundation
import MappingModels
import SeededRandom
import Strongroom

/// Reads a mapping model and writes it again; fills a store of its source model, migrates it by the
/// mapping model, and writes what was there and what is there into unencrypted databases.
///
/// A policy that the mapping model names is the default one.
struct MappedMigration: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "map")

  @Argument(help: "The mapping model.") var mapping: String
  @Argument(help: "An empty folder for the stores.") var folder: String
  @Option(help: "The bundle of model versions.") var bundle: String?
  @Option(help: "The version that is migrated.") var from: String?
  @Option(help: "The version to which it is migrated.") var to: String?
  @Option(help: "How many objects of each entity there are at most.") var objects = 8
  @Option(help: "Where the random numbers begin.") var seed: UInt64 = 1

  func run() async throws {
    let bench = MigrationBench(folder: URL(fileURLWithPath: folder))
    let model = try MappingModel(contentsOf: URL(fileURLWithPath: mapping))
    try model.write(xcmappingmodel: bench.url("written.xcmappingmodel"))
    guard let old = try version(from), let new = try version(to) else { return }
    for name in model.policyClassNames { EntityMigrationPolicy.register(as: name) }
    let container = bench.container("store", old)
    try await container.loadPersistentStores()
    var filler = ObjectFiller(container.newContext(), count: objects, random: Random(seed: seed))
    let filled = Result { try filler.fill() }
    try container.close()
    try filled.get()
    _ = try await bench.decrypt("store", to: "before.db")
    var description = bench.description("store")
    description.mappingModel = model
    let migrated = PersistentContainer(managedObjectModel: new, description: description)
    try await migrated.loadPersistentStores()
    try migrated.close()
    for issue in try await SQLCipherStore.verify(bench.description("store")) { print("verify: \(issue)") }
    _ = try await bench.decrypt("store", to: "after.db")
  }

  private func version(_ name: String?) throws -> ManagedObjectModel? {
    guard let bundle, let name else { return nil }
    let versions = try XCDataModelBundle(url: URL(fileURLWithPath: bundle)).versions
    guard let version = versions.first(where: { $0.name == name }) else {
      throw ValidationError("\(bundle) has no version \(name)")
    }
    return try ManagedObjectModel.load(version).model
  }
}
