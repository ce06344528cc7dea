import Foundation
import PostgresServer
import Strongroom
import StrongroomData
import StrongroomPostgres

/// A folder, or a schema of a server, for one store, with a vault for its key; all but the schema goes away
/// with it.
final class Place: Sendable {
  let vault = InMemoryVault()
  let url: URL
  /// The schema of a server.
  let schemaName: String

  init() throws {
    // Short, so that names of copies have all of it.
    schemaName = "typed-\(UUID().uuidString.prefix(18))"
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(schemaName)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent("models.store")
  }

  deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

  /// The store's, of a file or a server as the test runs with.
  func configuration(
    _ name: String? = nil, schema: Schema? = nil, allowsSave: Bool = true
  ) throws -> ModelConfiguration {
    guard StoreKind.current == .server else {
      return ModelConfiguration(name, schema: schema, url: url, allowsSave: allowsSave, keyVault: vault)
    }
    PersistentStoreCoordinator.registerStoreClass(PostgresStore.self)
    var configuration = ModelConfiguration(
      name, schema: schema, url: try PostgresServer.shared().url, allowsSave: allowsSave, keyVault: vault)
    configuration.storeDescriptionHandler = { [schemaName] in $0.serverSchema = schemaName }
    return configuration
  }

  /// The copies and drafts of the store that a migration has left.
  func copies() throws -> [String] {
    if StoreKind.current == .server {
      let names = try PostgresServer.shared().execute(
        "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, '\(schemaName)_')")
      return names.split(separator: "\n").map(String.init)
    }
    return try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path).filter {
      $0.hasSuffix(".new") || $0.contains("before-migration")
    }
  }

  func container(for types: any PersistentModel.Type...) throws -> ModelContainer {
    try container(Schema(types))
  }

  /// Over a store of the kind that the test runs with.
  func container(_ schema: Schema) throws -> ModelContainer {
    switch StoreKind.current {
    case .encrypted, .server:
      try ModelContainer(for: schema, configurations: [configuration()])
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
