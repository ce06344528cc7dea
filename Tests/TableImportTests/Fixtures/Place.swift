import Foundation
import Strongroom

/// A folder of a test's own, with what it writes and a place for a new store.
///
/// `make_tables.py` in `Tests/Support/tables` made the databases.
final class Place: Sendable {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tables-\(UUID().uuidString)")
  let vault = InMemoryVault()

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

  func write(_ name: String, _ text: String) throws -> URL { try write(name, Data(text.utf8)) }

  func write(_ name: String, _ data: Data) throws -> URL {
    try data.write(to: file(name))
    return file(name)
  }

  func database(_ name: String = "made.sqlite") throws -> URL {
    let made = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(name)
    try FileManager.default.copyItem(at: made, to: file(name))
    return file(name)
  }

  var description: PersistentStoreDescription {
    PersistentStoreDescription(url: file("new.strongroom"), vault: vault)
  }

  /// Opens the new store with the model in it.
  func open() async throws -> PersistentContainer {
    let model = try await SQLCipherStore.storedModel(description)
    let container = PersistentContainer(managedObjectModel: model, description: description)
    try await container.loadPersistentStores()
    return container
  }
}
