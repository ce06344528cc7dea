// The one place that knows where stores of these tests live and that their keys are in memory.

import Foundation
import StrongroomData
import SwiftData

/// A store in a fresh folder whose key stays in memory, so that a test can let it go and open it
/// again.
struct TestStore: Sendable {
  private let folder: URL
  private let vault = InMemoryVault()

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("SwiftDataTests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// The store's file.
  var url: URL { folder.appendingPathComponent("Default.store") }

  /// The configuration of the file, always with the same vault.
  func configuration(for schema: Schema) -> ModelConfiguration {
    ModelConfiguration(schema: schema, url: url, keyVault: vault)
  }

  /// Opens the file, or makes it.
  func container(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContainer {
    try ModelContainer(
      for: schema, migrationPlan: migrationPlan, configurations: [configuration(for: schema)])
  }

  /// Opens the file with models of these types, or makes it.
  func container(for types: [any PersistentModel.Type]) throws -> ModelContainer {
    try container(for: Schema(types))
  }

  /// Opens the store, works in a context of its own and lets both go, as a program's run does.
  func session<Outcome>(
    _ types: [any PersistentModel.Type], _ body: (ModelContext) throws -> Outcome
  ) throws -> Outcome {
    try session(for: Schema(types), body)
  }

  /// Opens the store with a schema and perhaps a plan, works in a context of its own and lets both
  /// go.
  func session<Outcome>(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    _ body: (ModelContext) throws -> Outcome
  ) throws -> Outcome {
    let context = ModelContext(try container(for: schema, migrationPlan: migrationPlan))
    context.autosaveEnabled = false
    return try body(context)
  }

  /// Whether any file of the store holds the text's bytes in clear.
  func showsInClear(_ text: String) throws -> Bool {
    let needle = Data(text.utf8)
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    for file in files {
      let contents = FileManager.default.contents(atPath: folder.appendingPathComponent(file).path)
      if let contents, contents.range(of: needle) != nil { return true }
    }
    return false
  }

  /// Removes the folder and all in it.
  func remove() {
    try? FileManager.default.removeItem(at: folder)
  }
}

extension ModelContext {
  /// How many models of a type the store and the pending changes have.
  func count<Model: PersistentModel>(of type: Model.Type) throws -> Int {
    try fetchCount(FetchDescriptor<Model>())
  }
}
