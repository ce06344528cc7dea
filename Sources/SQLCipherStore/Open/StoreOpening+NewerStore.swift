import CipherDatabase
import ObjectModel
import StoreContract

extension StoreOpening {
  /// Opens a newer store for reading with the program's model, where the description asks for it.
  /// - Returns: Nil when the store is not newer, or that is not asked for.
  /// - Throws: `StoreError`: `modelMismatch` when the store cannot be read with the model.
  func openedForReading(
    _ file: DatabaseFile, _ cipher: StoreCipher
  ) throws -> SQLCipherStore.Opened? {
    guard description.opensNewerStoreReadOnly else { return nil }
    var reading = description
    reading.isReadOnly = true
    let options = try reading.connectionOptions(for: file)
    let session = try translating(path) { try OpenSession(file, cipher, options) }
    let opened = try session.closingOnError {
      try session.pool.read { connection in
        try connection.transaction(.deferred) { try readable(connection, session) }
      }
    }
    if opened == nil { session.pool.close() }
    return opened
  }

  private func readable(_ connection: Connection, _ session: OpenSession) throws -> SQLCipherStore.Opened? {
    let table = StoreTable(connection)
    // For the refusal of a file that has more than its model makes.
    _ = try table.model()
    if mayMigrate, try !table.formerHashes().contains(model.versionHash.hex) { return nil }
    let migration = try InferredMigration(connection, to: model, MigrationTerms(isDeferred: true))
    let obstacles = try migration.readingObstacles()
    guard obstacles.isEmpty else {
      throw StoreError(
        .modelMismatch,
        "the store is newer than this program, and cannot be read with the program's model: "
          + obstacles.sorted().joined(separator: "; ") + "; update the program")
    }
    return try SQLCipherStore.Opened(session, migration.new, table.metadata(), isOfNewerModel: true)
  }
}
