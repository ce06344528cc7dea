import ArgumentParser
import BenchKit
import CLimit
import Foundation
import Strongroom

/// Times opening a store whose model is large, beside what parsing that model costs.
struct StartUp: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Opening a store of 125 entities with 1,100 attributes.")

  @Option(help: "Entities of the model.") var entities = 125
  @Option(help: "Attributes of the model.") var attributes = 1100

  func run() async throws {
    let model = try ManagedObjectModel(
      ModelDeclaration(
        entities: (0..<entities).map { entity in
          Entity("Entity\(entity)") {
            for attribute in stride(from: entity, to: attributes, by: entities) {
              Attribute("attribute\(attribute)", .string)
            }
            Relationship("next", to: "Entity\((entity + 1) % entities)")
          }
        }))
    let path = NSTemporaryDirectory() + "strongroom-startup-\(getpid())"
    defer {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
    let made = try await container(path, model, create: true)
    try made.close()
    let json = try model.jsonData()

    var opening: [Double] = []
    var schema: [Double] = []
    var parsing: [Double] = []
    for _ in 0..<15 {
      var start = now()
      let container = try await container(path, model)
      opening.append(now() - start)
      try container.close()
      start = now()
      guard lm_read_schema(path) == 1 else { throw Rounds.Failure(description: "the schema cannot be read") }
      schema.append(now() - start)
      start = now()
      _ = try ManagedObjectModel(jsonData: json)
      parsing.append(now() - start)
    }
    print("entities \(entities), attributes \(attributes), model text \(json.count) bytes; medians of 15, ms")
    line("open the store, model checked by its hash", opening.median)
    line("hand-written C: open, read schema and hash", schema.median)
    line("parse the model from its text", parsing.median)
  }

  private func container(
    _ path: String, _ model: ManagedObjectModel, create: Bool = false
  ) async throws -> PersistentContainer {
    var description = PersistentStoreDescription(
      type: SQLCipherStore.storeType, url: URL(fileURLWithPath: path))
    description.storeKey = try [UInt8](0..<32).withUnsafeBytes { try StoreKey(bytes: $0) }
    description.createsIfMissing = create
    let container = PersistentContainer(managedObjectModel: model, description: description)
    try await container.loadPersistentStores()
    return container
  }

  private func line(_ name: String, _ seconds: Double) {
    let text = String(format: "%8.2f", seconds * 1e3)
    print(name.padding(toLength: 48, withPad: " ", startingAt: 0) + text)
  }
}
