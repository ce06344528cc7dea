import Foundation
import Strongroom

/// A folder of a test's own, with copies of the stores beside this file and a place for a new store.
///
/// `made.sqlite` has half of its rows in its log; `faulty.sqlite` has one fault of each kind, and was
/// migrated in place. The maker of stores in `Tests/Support/apple-stores` made both.
final class Place: Sendable {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apple-\(UUID().uuidString)")
  let vault = InMemoryVault()

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

  /// A copy of a store with its log and its external files.
  func copy(_ name: String) throws -> URL {
    let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    for file in ["\(name).sqlite", "\(name).sqlite-wal", ".\(name)_SUPPORT"] {
      let source = fixtures.appendingPathComponent(file)
      guard FileManager.default.fileExists(atPath: source.path) else { continue }
      try FileManager.default.copyItem(at: source, to: self.file(file))
    }
    return self.file("\(name).sqlite")
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

  /// The names, times and contents of all that is in the folder.
  func fingerprint() throws -> [String: Data] {
    var found: [String: Data] = [:]
    for case let name as String in FileManager.default.enumerator(atPath: folder.path) ?? .init() {
      let attributes = try FileManager.default.attributesOfItem(atPath: file(name).path)
      let contents = FileManager.default.contents(atPath: file(name).path) ?? Data()
      found["\(name) \(attributes[.modificationDate] ?? "")"] = contents
    }
    return found
  }
}
