import Foundation
import StrongroomData

/// A folder for one store, with a vault for its key; both go away with it.
final class Place: Sendable {
  let vault = InMemoryVault()
  let url: URL

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("typed-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent("models.store")
  }

  deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

  func container(for types: any PersistentModel.Type...) throws -> ModelContainer {
    try container(Schema(types))
  }

  /// Over a store of the kind that the test runs with.
  func container(_ schema: Schema) throws -> ModelContainer {
    switch StoreKind.current {
    case .encrypted:
      try ModelContainer(for: schema, configurations: [ModelConfiguration(url: url, keyVault: vault)])
    case .json:
      try ModelContainer(
        for: schema,
        configurations: [JSONStoreConfiguration(name: "json", fileURL: url.appendingPathExtension("json"))])
    case .sqlite:
      try ModelContainer(
        for: schema, configurations: [SQLiteConfiguration(url: url.appendingPathExtension("sqlite"))])
    }
  }
}
