import Foundation
import PostgresServer
import Strongroom
import StrongroomPostgres
import Testing

/// A folder, or a schema of a server, with one store for tests of migrations.
final class MigrationPlace: Sendable {
  /// The kind of store.
  enum Kind: String, Sendable, CustomTestStringConvertible {
    case file, server

    /// Those that can be tried here.
    static var all: [Kind] { PostgresServer.programs == nil ? [.file] : [.file, .server] }
    var testDescription: String { rawValue }
  }

  let kind: Kind
  private let schema: String
  let url: URL
  let vault = InMemoryVault()

  init(_ kind: Kind = .file) throws {
    self.kind = kind
    schema = kind == .file ? "" : try PostgresServer.shared().newSchema()
    if kind == .server { PersistentStoreCoordinator.registerStoreClass(PostgresStore.self) }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "migration-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent("library.strongroom")
  }

  deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

  var description: PersistentStoreDescription {
    if kind == .server, let description = try? PostgresFactory.description(schema: schema) {
      return description
    }
    var description = PersistentStoreDescription(url: url, vault: vault)
    description.busyTimeoutMilliseconds = 100
    return description
  }

  func container(
    _ model: ManagedObjectModel, _ change: (inout PersistentStoreDescription) -> Void = { _ in }
  ) -> PersistentContainer {
    var description = description
    change(&description)
    return PersistentContainer(managedObjectModel: model, description: description)
  }

  /// Opens the store, runs some work, and closes it.
  @discardableResult
  func with<R>(
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
  func refusal(
    _ model: ManagedObjectModel, _ change: (inout PersistentStoreDescription) -> Void = { _ in }
  ) async throws -> StoreError? {
    do {
      try await with(model, change) { _ in }
      return nil
    } catch let error as StoreError {
      return error
    }
  }

  func forecast(_ model: ManagedObjectModel) async throws -> MigrationForecast {
    let forecasts = try await container(model).migrationForecasts()
    return forecasts[0]
  }

  /// All that is stored.
  func bytes() throws -> Data {
    kind == .file ? try Data(contentsOf: url) : Data(try PostgresServer.shared().dump(schema).utf8)
  }

  func hasCopy() throws -> Bool {
    if kind == .file { return FileManager.default.fileExists(atPath: url.path + ".before-migration") }
    let found = try PostgresServer.shared().execute(
      "SELECT 1 FROM pg_namespace WHERE starts_with(nspname, '\(schema)_before_')")
    return !found.isEmpty
  }

  /// What is wrong with the store; none where all is as its model says.
  func problems() async throws -> [String] {
    if kind == .file { return try await SQLCipherStore.verify(description).map { "\($0)" } }
    let model = try await PostgresStore.storedModel(description)
    let server = try PostgresServer.shared()
    let fresh = server.newSchema()
    try await PostgresFactory.store(model, schema: fresh).close()
    let (found, wanted) = (try server.listing(schema), try server.listing(fresh))
    return found.subtracting(wanted).map { "not of the model: \($0)" }
      + wanted.subtracting(found).map { "missing: \($0)" }
  }
}
