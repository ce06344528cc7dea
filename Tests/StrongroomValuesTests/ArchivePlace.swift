import Foundation
import StrongroomValues

extension Place {
  func archive(
    _ types: any ArchivedType.Type..., isolation: isolated (any Actor)? = #isolation
  ) async throws -> ObjectArchive {
    try await ObjectArchive(PersistentStoreDescription(url: url, vault: vault), types)
  }
}

extension ObjectArchive {
  var executed: Int {
    get throws { try (coordinator.persistentStore as? SQLCipherStore)?.executedStatements ?? -1 }
  }
}
