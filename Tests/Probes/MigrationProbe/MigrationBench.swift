import Foundation
import Strongroom

/// Stores in a folder, all with keys in one vault, so that a copied file opens.
struct MigrationBench {
  let folder: URL
  private let vault = InMemoryVault()

  init(folder: URL) { self.folder = folder }

  func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

  func description(_ name: String) -> PersistentStoreDescription {
    PersistentStoreDescription(url: url(name), vault: vault)
  }

  func container(_ name: String, _ model: ManagedObjectModel) -> PersistentContainer {
    PersistentContainer(managedObjectModel: model, description: description(name))
  }

  func remove(_ name: String) {
    for suffix in ["", "-wal", "-shm", ".before-migration"] {
      try? FileManager.default.removeItem(at: url(name + suffix))
    }
  }

  func copy(_ name: String, to other: String) throws {
    remove(other)
    try FileManager.default.copyItem(at: url(name), to: url(other))
  }

  /// Opens a store and closes it.
  func open(_ name: String, _ model: ManagedObjectModel) async throws {
    let container = container(name, model)
    try await container.loadPersistentStores()
    try container.close()
  }

  /// Writes a store into an unencrypted database, and returns its path.
  func decrypt(_ name: String, to database: String) async throws -> String {
    let target = url(database)
    try? FileManager.default.removeItem(at: target)
    try await SQLCipherStore.decrypt(description(name), to: target)
    return target.path
  }

  /// Takes the copy that a lossy migration left away, and returns whether there was one.
  func takeCopy(_ name: String) -> Bool {
    (try? FileManager.default.removeItem(at: url(name + ".before-migration"))) != nil
  }
}
