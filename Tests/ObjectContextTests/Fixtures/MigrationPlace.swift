import Foundation
import Strongroom

/// A folder with one store for tests of migrations.
final class MigrationPlace: Sendable {
  let url: URL
  let vault = InMemoryVault()

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "migration-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent("library.strongroom")
  }

  deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

  var description: PersistentStoreDescription {
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

  var bytes: Data { get throws { try Data(contentsOf: url) } }

  var hasCopy: Bool { FileManager.default.fileExists(atPath: url.path + ".before-migration") }
}
