import CipherDatabase
import Foundation
package import StoreContract
import StoreKeyring

/// A copy of a store for work of several steps, which replaces the store when all steps are done.
///
/// If a step fails or the process is killed, the store is unchanged.
///
/// No other process can open the store meanwhile.
package final class StoreDraft: MigrationDraft, @unchecked Sendable {
  // @unchecked: made on one thread and then used by another one alone.
  private let access: WholeFileAccess
  private let path: String
  /// How the copy is opened: with the store's key, and without reading the vaults again.
  package let description: PersistentStoreDescription

  /// Copies a store.
  /// - Throws: `StoreError`: `busy` when another connection has the store open, `diskFull`, and as
  ///   opening does.
  package init(of description: PersistentStoreDescription) async throws {
    access = try await WholeFileAccess.open(description, for: .writing)
    path = UnfinishedCopy.path(beside: access.path)
    var copy = description
    copy.url = URL(fileURLWithPath: path)
    copy.draftLosses = DraftLosses()
    copy.knownCipher = KnownCipher(access.cipher)
    self.description = copy
    do {
      try access.takeAlone()
      try translating(path) {
        try Backup.copy(
          access.connection, to: path, key: access.cipher.spec, format: access.format,
          progress: { _, _ in !Task.isCancelled })
      }
    } catch {
      access.close()
      throw error
    }
  }

  deinit { abandon() }

  /// Reads the copy whole and replaces the store by it.
  ///
  /// A store whose data the draft has no place for is copied before. To be called when every
  /// connection to the draft is closed.
  /// - Throws: `StoreError`; the store is then as it was.
  package func publish() throws {
    try WholeFileAccess.prove(path, access.cipher, journal: .writeAhead) { _ in }
    let isLossy = description.draftLosses?.isLossy == true
    var keepsake = isLossy ? try translating(access.path) { try PreMigrationCopy(access) } : nil
    do {
      try keepsake?.makePermanent()
      try access.replace(with: path)
    } catch {
      keepsake?.end(failedWith: error)
      throw error
    }
    keepsake?.end()
    abandon()
  }

  /// Removes the copy and unlocks the store.
  package func abandon() {
    File.removeDatabase(path)
    access.close()
  }
}
