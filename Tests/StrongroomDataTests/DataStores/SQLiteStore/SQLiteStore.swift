import Foundation
import StrongroomData

// A store in a plain SQLite file, as one is written for SwiftData's protocols: a table for each entity,
// conditions, orders and limits in SQL where they can be, else in memory.

struct SQLiteConfiguration: DataStoreConfiguration {
  typealias Store = SQLiteStore
  var name = "sqlite"
  var schema: Schema?
  let url: URL
  var log = StatementLog()

  static func == (left: SQLiteConfiguration, right: SQLiteConfiguration) -> Bool { left.url == right.url }
  func hash(into hasher: inout Hasher) { hasher.combine(url) }
}

final class SQLiteStore: DataStore {
  typealias Configuration = SQLiteConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: SQLiteConfiguration
  let schema: Schema
  let identifier: String
  let database: SQLiteDatabase
  let tables: [String: SQLiteTable]

  init(_ configuration: SQLiteConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    let schema = configuration.schema ?? Schema()
    self.schema = schema
    identifier = configuration.url.path
    database = try SQLiteDatabase(configuration.url, log: configuration.log)
    tables = Dictionary(uniqueKeysWithValues: schema.entities.map { ($0.name, SQLiteTable($0, schema)) })
    try database.run("CREATE TABLE IF NOT EXISTS \"the last key\" (number INTEGER)")
    for table in tables.values { try database.run(table.creation) }
  }

  // MARK: Keys

  /// What an identifier encodes of the key.
  private struct Key: Decodable { let key: String }

  func key(_ identifier: PersistentIdentifier) -> Int64? {
    guard identifier.storeIdentifier == self.identifier,
      let key = try? JSONDecoder().decode(Key.self, from: JSONEncoder().encode(identifier))
    else { return nil }
    return Int64(key.key)
  }

  func named(_ key: Int64, _ entityName: String) throws -> PersistentIdentifier {
    try .identifier(for: identifier, entityName: entityName, primaryKey: key)
  }

  /// A model in a column of another one.
  func reference(_ identifier: PersistentIdentifier) -> String {
    "\(identifier.entityName)/\(key(identifier) ?? 0)"
  }

  func referenced(_ text: String) throws -> PersistentIdentifier {
    let parts = text.split(separator: "/")
    return try named(Int64(parts[1]) ?? 0, String(parts[0]))
  }

  // MARK: Saving

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    try database.transaction {
      var last: Int64 = 0
      if case .integer(let number)? = try database.run("SELECT max(number) FROM \"the last key\"").first?[0] {
        last = number
      }
      var names: [PersistentIdentifier: PersistentIdentifier] = [:]
      for snapshot in request.inserted {
        last += 1
        names[snapshot.persistentIdentifier] = try named(last, snapshot.persistentIdentifier.entityName)
      }
      if !names.isEmpty { try database.run("INSERT INTO \"the last key\" VALUES (?)", [.integer(last)]) }
      for snapshot in request.inserted + request.updated {
        let own = names[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
        try write(snapshot.copy(persistentIdentifier: own, remappedIdentifiers: names))
      }
      for snapshot in request.deleted {
        guard let key = key(snapshot.persistentIdentifier) else { continue }
        try database.run(
          "DELETE FROM \"\(snapshot.persistentIdentifier.entityName)\" WHERE _id = ?", [.integer(key)])
      }
      return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: names)
    }
  }

  private func write(_ snapshot: DefaultSnapshot) throws {
    let row = try SQLiteRowEncoder(snapshot).row
    guard let table = tables[snapshot.persistentIdentifier.entityName],
      let key = key(snapshot.persistentIdentifier)
    else { throw DataStoreError.unsupportedFeature }
    let values = try table.columns.map { column -> SQLiteValue in
      if column.isToMany { return try SQLiteValue((row.toManys[column.name] ?? []).map(reference)) }
      if column.isToOne { return row.toOnes[column.name].map { .text(reference($0)) } ?? .null }
      return row.values[column.name] ?? .null
    }
    try database.run(table.replacement, [.integer(key)] + values)
  }

  func erase() throws {
    try database.transaction { for table in tables.keys { try database.run("DELETE FROM \"\(table)\"") } }
  }
}
