import ArgumentParser
import Foundation
import Strongroom

/// Fills a store of each version of a model, migrates it to the next one, and the first to the last
/// in one jump and step by step.
///
/// Prints a line of JSON for each event. Each store is also written into the folder as an
/// unencrypted database, from which another program reads what became of the objects.
struct ChainMigration: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "chain")

  @Argument(help: "The bundle of model versions.") var bundle: String
  @Argument(help: "An empty folder for the stores.") var folder: String
  @Option(help: "How many objects of each entity there are at most.") var objects = 8
  @Option(help: "Where the random numbers begin.") var seed: UInt64 = 1

  func run() async throws {
    let versions = try XCDataModelBundle(url: URL(fileURLWithPath: bundle)).versions
    let chain = Chain(
      versions: versions, bench: MigrationBench(folder: URL(fileURLWithPath: folder)), objects: objects,
      seed: seed)
    try await chain.run()
  }
}
