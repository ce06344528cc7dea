import CipherDatabase
import Foundation
package import StoreContract

/// A copy of a store that a migration is tried out on.
///
/// What a killed process leaves of it, and of what the migration made beside it, goes like every
/// unfinished copy.
package struct TrialCopy {
  /// The copy, under the store's own key.
  package let description: PersistentStoreDescription
  private let path: String

  /// Copies a store, while others read and write it.
  /// - Throws: As `SQLCipherStore.backUp(_:to:newKeyIn:progress:)`.
  package init(of description: PersistentStoreDescription) async throws {
    path = UnfinishedCopy.path(beside: description.url?.path ?? "")
    let url = URL(fileURLWithPath: path)
    try await SQLCipherStore.backUp(description, to: url)
    var copy = description
    copy.url = url
    self.description = copy
  }

  /// Removes the copy and what lies beside it.
  package func remove() {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where name.hasPrefix(url.lastPathComponent) {
      try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
  }
}
