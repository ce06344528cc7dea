package import Foundation
import PostgresServer
package import Strongroom
import StrongroomPostgres

/// A folder, or a schema of a server, with one store for tests of migrations.
package final class MigrationPlace: Sendable {
  /// The kind of store.
  package enum Kind: String, Sendable {
    case file, server

    /// Those that can be tried here.
    package static var all: [Kind] { PostgresServer.programs == nil ? [.file] : [.file, .server] }
  }

  package let kind: Kind
  private let schema: String
  package let url: URL
  package let vault = InMemoryVault()

  package init(_ kind: Kind = .file) throws {
    self.kind = kind
    schema = kind == .file ? "" : try PostgresServer.shared().newSchema()
    if kind == .server { PersistentStoreCoordinator.registerStoreClass(PostgresStore.self) }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "migration-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent("library.strongroom")
  }

  deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

  package var description: PersistentStoreDescription {
    if kind == .server, let description = try? PostgresFactory.description(schema: schema) {
      return description
    }
    var description = PersistentStoreDescription(url: url, vault: vault)
    description.busyTimeoutMilliseconds = 100
    return description
  }

  package func container(
    _ model: ManagedObjectModel, _ change: (inout PersistentStoreDescription) -> Void = { _ in }
  ) -> PersistentContainer {
    var description = description
    change(&description)
    return PersistentContainer(managedObjectModel: model, description: description)
  }

  /// Opens the store, runs some work, and closes it.
  @discardableResult
  package func with<R>(
    _ model: ManagedObjectModel, _ change: (inout PersistentStoreDescription) -> Void = { _ in },
    _ body: (ManagedObjectContext) throws -> R
  ) async throws -> R {
    let container = container(model, change)
    try await container.loadPersistentStores()
    let result = Result { try body(container.newContext()) }
    try container.close()
    return try result.get()
  }

  /// The error of an opening; nil when the store opened.
  package func refusal(
    _ model: ManagedObjectModel, _ change: (inout PersistentStoreDescription) -> Void = { _ in }
  ) async throws -> StoreError? {
    do {
      try await with(model, change) { _ in }
      return nil
    } catch let error as StoreError {
      return error
    }
  }

  package func forecast(_ model: ManagedObjectModel) async throws -> MigrationForecast {
    let forecasts = try await container(model).migrationForecasts()
    return forecasts[0]
  }

  /// Everything that there is besides the store.
  package func others() throws -> [String] {
    if kind == .file {
      let folder = url.deletingLastPathComponent()
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      return names.filter { $0 != url.lastPathComponent }.sorted()
    }
    let found = try PostgresServer.shared().execute(
      "SELECT nspname FROM pg_namespace WHERE nspname <> '\(schema)'"
        + " AND starts_with(nspname, '\(schema)_') ORDER BY 1")
    return found.split(separator: "\n").map(String.init)
  }

  /// All that is stored.
  package func bytes() throws -> Data {
    kind == .file ? try Data(contentsOf: url) : Data(try PostgresServer.shared().dump(schema).utf8)
  }

  package func hasCopy() throws -> Bool {
    try others().contains { $0.hasSuffix(".before-migration") || $0.hasPrefix("\(schema)_before_") }
  }

  /// How the copy of before a migration is opened.
  package func copy() throws -> PersistentStoreDescription {
    var copy = description
    let name = try others().first { $0.hasSuffix(".before-migration") || $0.hasPrefix("\(schema)_before_") }
    if kind == .file {
      copy.url = url.deletingLastPathComponent().appendingPathComponent(name ?? "none")
    } else {
      copy.serverSchema = name ?? "none"
    }
    return copy
  }

  /// The model that a store of this kind describes itself with.
  package func storedModel(_ description: PersistentStoreDescription) async throws -> ManagedObjectModel {
    kind == .file
      ? try await SQLCipherStore.storedModel(description) : try await PostgresStore.storedModel(description)
  }

  /// What is wrong with the store; none where all is as its model says.
  package func problems() async throws -> [String] {
    if kind == .file { return try await SQLCipherStore.verify(description).map { "\($0)" } }
    let model = try await storedModel(description)
    let server = try PostgresServer.shared()
    let fresh = server.newSchema()
    try await PostgresFactory.store(model, schema: fresh).close()
    let (found, wanted) = (try server.listing(schema), try server.listing(fresh))
    return found.subtracting(wanted).map { "not of the model: \($0)" }
      + wanted.subtracting(found).map { "missing: \($0)" }
  }
}
