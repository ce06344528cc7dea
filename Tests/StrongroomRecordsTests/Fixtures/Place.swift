import Foundation
import StrongroomRecords

/// A folder for one file, with a vault for its key; both go away with it.
final class Place: Sendable {
  let vault = InMemoryVault()
  let url: URL

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("values-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent("values.store")
  }

  deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

  func store(_ types: any Record.Type...) async throws -> RecordStore {
    try await RecordStore(PersistentStoreDescription(url: url, vault: vault), types)
  }
}

extension RecordStore {
  private var engine: SQLCipherStore? { get throws { try coordinator.persistentStore as? SQLCipherStore } }
  var executed: Int { get throws { try engine?.executedStatements ?? -1 } }
  var prepared: Int { get throws { try engine?.preparedStatements ?? -1 } }
}
