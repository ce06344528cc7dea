import Foundation
import StrongroomArchive

/// A folder for one file, with a vault for its key; both are removed with it.
final class Place: Sendable {
  let vault = InMemoryVault()
  let url: URL

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("archive-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent("archive.store")
  }

  deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

  var description: PersistentStoreDescription { PersistentStoreDescription(url: url, vault: vault) }

  func archive(
    _ types: any ArchivedType.Type..., isolation: isolated (any Actor)? = #isolation
  ) async throws -> ObjectArchive {
    try await ObjectArchive(description, types)
  }
}

extension ObjectArchive {
  var executed: Int {
    get throws { try (coordinator.persistentStore as? SQLCipherStore)?.executedStatements ?? -1 }
  }
}
