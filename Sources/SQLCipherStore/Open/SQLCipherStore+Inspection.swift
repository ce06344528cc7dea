import CipherDatabase
public import Foundation
public import ObjectModel
public import StoreContract

/// What a store's file says of itself.
public struct StoreSummary: Sendable {
  /// The store's UUID.
  public let identifier: UUID
  /// The version of SQLCipher in this process.
  public let cipherVersion: String
  /// The version of SQLite in this process.
  public let libraryVersion: String
  /// The number of 4096-byte pages.
  public let pageCount: Int
  /// The number of those that hold nothing: `compact(_:)` gives them back.
  public let freePageCount: Int
  /// The number of objects by entity, subentities apart; abstract entities are left out.
  public let objectCounts: [(entity: String, count: Int)]
}

extension SQLCipherStore {
  /// The model that a store describes itself with, so that tools need no model file.
  /// - Throws: as `loadMetadata()`.
  public static func storedModel(_ description: PersistentStoreDescription) async throws -> ManagedObjectModel
  {
    try await StoreOpening.storedModel(description)
  }

  /// The versions of the libraries in this process; SQLCipher's is empty where it does not encrypt.
  package static var libraryVersions: (cipher: String, sqlite: String) {
    (Connection.libraryCipherVersion, Connection.libraryVersion)
  }

  /// Versions, size and counts.
  ///
  /// One statement per entity, and three more.
  /// - Throws: `StoreError`.
  public func summary() throws -> StoreSummary {
    let opened = try open
    return try translating(path) {
      try opened.pool.read { connection in
        let counts = try model.entities.filter { !$0.isAbstract }.map { entity in
          let table = opened.schema.table(entity).name.quoted
          let statement = try connection.cached("SELECT count(*) FROM \(table) WHERE _entity = ?1")
          statement.bind(1, opened.schema.entityNumbers[entity.index])
          defer { statement.reset() }
          return (entity: entity.name, count: try statement.step() ? Int(statement.int64(0)) : 0)
        }
        return StoreSummary(
          identifier: opened.identifier, cipherVersion: connection.cipherVersion,
          libraryVersion: type(of: connection).libraryVersion,
          pageCount: try connection.pageCount("page_count"),
          freePageCount: try connection.pageCount("freelist_count"), objectCounts: counts)
      }
    }
  }

  /// The SQL of every table and index, in the order they were made.
  ///
  /// One statement.
  /// - Throws: `StoreError`.
  public func schemaStatements() throws -> [String] {
    let opened = try open
    return try translating(path) {
      try opened.pool.read { connection in
        let statement = try connection.cached(
          "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
        var lines: [String] = []
        while try statement.step() { lines.append(statement.text(0)) }
        return lines
      }
    }
  }

  /// Moves the write-ahead log into the file, so that the file alone is the store.
  ///
  /// A few statements.
  /// - Throws: `StoreError`.
  public func checkpoint() throws {
    let opened = try open
    try translating(path) { try opened.pool.write { try $0.checkpoint() } }
  }
}
