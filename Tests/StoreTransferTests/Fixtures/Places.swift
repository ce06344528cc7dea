import Foundation
import ObjectModel
import PostgresServer
import SQLCipherStore
import StoreContract
import StoreKeyring
import StrongroomPostgres

/// A folder for files and a server for schemas, for one test.
final class Places: Sendable {
  let folder: URL
  let vault = InMemoryVault()

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "move-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func file(_ name: String) -> PersistentStoreDescription {
    PersistentStoreDescription(url: folder.appending(path: name), vault: vault)
  }

  /// The names in the folder.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  func schema() throws -> PersistentStoreDescription {
    try PostgresFactory.description(schema: try PostgresServer.shared().newSchema())
  }

  /// Whether the server has anything of a store.
  func isThere(_ description: PersistentStoreDescription) throws -> Bool {
    try PostgresServer.shared().execute(
      "SELECT count(*) FROM pg_namespace WHERE nspname = '\(description.serverSchema)'"
    ).trimmingCharacters(in: .whitespacesAndNewlines) != "0"
  }

  static func type(_ description: PersistentStoreDescription) -> any IncrementalStore.Type {
    description.type == PostgresStore.storeType ? PostgresStore.self : SQLCipherStore.self
  }

  static func open(
    _ description: PersistentStoreDescription, _ model: ManagedObjectModel
  ) async throws -> any IncrementalStore {
    let store = try type(description).init(model: model, description: description)
    try await store.loadMetadata()
    return store
  }
}
