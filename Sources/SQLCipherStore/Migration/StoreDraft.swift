import CipherDatabase
import Foundation
import LightweightMigration
package import ObjectModel
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
  private var path: String
  private var successorPath: String?
  /// How the copy is opened: with the store's key, and without reading the vaults again.
  package private(set) var description: PersistentStoreDescription

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

  package func makeSuccessor(_ model: ManagedObjectModel) throws -> PersistentStoreDescription {
    // Beside the copy: beside the store, the copy itself would look abandoned.
    let new = UnfinishedCopy.path(beside: path)
    successorPath = new
    try translating(new) { try makeEmptyStore(model, at: new) }
    var successor = description
    successor.url = URL(fileURLWithPath: new)
    return successor
  }

  private func makeEmptyStore(_ model: ManagedObjectModel, at new: String) throws {
    var options = ConnectionOptions.ofStore
    options.format = access.format
    let copy = try Connection(path: path, key: access.cipher.spec, options: options)
    defer { copy.close() }
    options.createIfMissing = true
    let connection = try Connection(path: new, key: access.cipher.spec, options: options)
    defer { connection.close() }
    let schema = StoreSchema(model: model, entityNumbers: model.entities.indices.map { Int64($0 + 1) })
    try connection.transaction(.exclusive) {
      let table = StoreTable(connection)
      try table.create(model: model, entityNumbers: schema.entityNumbers)
      for statement in schema.creation { try connection.execute(statement) }
      try table.takeOver(from: StoreTable(copy))
      try HistoryTable.begin(in: connection, after: copy)
      // An object of before never has the URI of one of after.
      let last = try ReferenceSequence.last(copy)
      for root in schema.roots { try ReferenceSequence.advance(to: last, root, connection, schema) }
    }
    try connection.checkpoint()
    try connection.file.sync()
  }

  package func adoptSuccessor() throws {
    guard let new = successorPath else { return }
    File.removeDatabase(path)
    (path, successorPath) = (new, nil)
    description.url = URL(fileURLWithPath: new)
    // What a mapping leaves out is nowhere counted, so the store is always copied before.
    description.draftLosses?.record()
  }

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
    if let successorPath { File.removeDatabase(successorPath) }
    access.close()
  }
}
