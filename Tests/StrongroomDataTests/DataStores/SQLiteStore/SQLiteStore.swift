import Foundation
import StrongroomData

// A store in a plain SQLite file. A row has a snapshot as JSON, and beside it values of plain types, by which
// SQLite filters and sorts what it can exactly as Swift. All else is left to the container.

struct SQLiteConfiguration: DataStoreConfiguration {
  typealias Store = SQLiteStore
  var name = "sqlite"
  var schema: Schema?
  let url: URL
  /// Gets each statement before it runs.
  var trace: @Sendable (String) -> Void = { _ in }

  static func == (left: SQLiteConfiguration, right: SQLiteConfiguration) -> Bool { left.url == right.url }
  func hash(into hasher: inout Hasher) { hasher.combine(url) }
}

final class SQLiteStore: DataStoreBatching {
  let configuration: SQLiteConfiguration
  let schema: Schema
  private let database: SQLiteDatabase
  var identifier: String { configuration.url.path }

  init(_ configuration: SQLiteConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
    database = try SQLiteDatabase(configuration.url, trace: configuration.trace)
    for entity in schema.entities {
      try database.run("CREATE TABLE IF NOT EXISTS \(entity.table) (\(entity.list) _id PRIMARY KEY, _json)")
    }
  }

  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let list = try clauses(request.descriptor).flatMap {
      try database.run("SELECT _json FROM \($0.sql)", $0.values)
    }.joined(separator: ",")
    let snapshots = try JSONDecoder().decode([DefaultSnapshot].self, from: Data("[\(list)]".utf8))
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: snapshots)
  }

  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try clauses(request.descriptor).flatMap {
      try database.run("SELECT count(*) FROM (SELECT _id FROM \($0.sql))", $0.values)
    }.compactMap { Int($0) }.reduce(0, +)
  }

  func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] {
    try clauses(request.descriptor).flatMap { clause in
      try database.run("SELECT _id FROM \(clause.sql)", clause.values).map {
        let key = try JSONDecoder().decode(UUID.self, from: Data($0.utf8))
        return try .identifier(for: identifier, entityName: clause.entity.name, primaryKey: key)
      }
    }
  }

  /// A clause for each table to read: the class's own and those of its subclasses.
  private func clauses<T>(_ descriptor: FetchDescriptor<T>) throws -> [SQLClause] {
    let entities = schema.entities.filter { $0.kinds.contains(Schema.entityName(for: T.self)) }
    let (limit, offset) = (descriptor.fetchLimit ?? 0, descriptor.fetchOffset ?? 0)
    let isOrdered = !descriptor.sortBy.isEmpty || limit > 0 || offset > 0
    if isOrdered, entities.count > 1 { throw DataStoreError.preferInMemorySort }
    return try entities.map { entity in
      var clause = try SQLClause(descriptor.predicate, entity)
      let terms = try descriptor.sortBy.map { "\(try clause.term($0)), " }.joined()
      clause.sql += " ORDER BY \(terms)_id LIMIT \(limit > 0 ? limit : -1) OFFSET \(offset)"
      return clause
    }
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var names: [PersistentIdentifier: PersistentIdentifier] = [:]
    for new in request.inserted.map(\.persistentIdentifier) {
      names[new] = try .identifier(for: identifier, entityName: new.entityName, primaryKey: UUID())
    }
    try database.transaction {
      for snapshot in request.inserted + request.updated {
        let own = names[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
        let entity = schema.entitiesByName[own.entityName]!
        let json = try JSONEncoder().encode(
          snapshot.copy(persistentIdentifier: own, remappedIdentifiers: names))
        let coded = try JSONDecoder().decode([String: SQLValue].self, from: json)
        try database.run(
          "INSERT OR REPLACE INTO \(entity.table) (\(entity.list) _id, _json) VALUES (\(entity.marks) ?, ?)",
          entity.columns.map { coded[$0] } + [.of(own), .text(String(decoding: json, as: UTF8.self))])
      }
      for old in request.deleted.map(\.persistentIdentifier) {
        try database.run("DELETE FROM \"\(old.entityName)\" WHERE _id = ?", [.of(old)])
      }
    }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: names)
  }

  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    let name = Schema.entityName(for: T.self)
    let own = schema.entities.filter { request.includeSubclasses ? $0.kinds.contains(name) : $0.name == name }
    let hasRules = own.flatMap(\.relationships).contains { $0.deleteRule != .nullify }
    // A to-many may name what is deleted further, which a container skips; a to-one must not.
    let toOnes = schema.entities.flatMap(\.relationships).filter(\.isToOneRelationship)
    let isNamed = toOnes.contains { one in own.contains { $0.kinds.contains(one.destination) } }
    if hasRules || isNamed { throw DataStoreError.preferInMemoryFilter }
    let clauses = try own.map { try SQLClause(request.predicate, $0) }
    try database.transaction {
      for clause in clauses { try database.run("DELETE FROM \(clause.sql)", clause.values) }
    }
  }

  func erase() throws {
    try database.transaction {
      for entity in schema.entities { try database.run("DELETE FROM \(entity.table)") }
    }
  }
}

extension Schema.Entity {
  /// The names of the entity and of those that it inherits from.
  var kinds: [String] { sequence(first: self) { $0.superentity }.map(\.name) }
  /// The names of the attributes that have columns: not what a transformer makes, which JSON has otherwise.
  var columns: [String] {
    let stored = properties.compactMap { $0 as? Schema.Attribute }.filter { !$0.isTransient }
    return stored.filter { $0.valueType is any SQLComparable.Type && !$0.isTransformable }.map(\.name)
  }
  var list: String { columns.map { "\"\($0)\"," }.joined() }
  var marks: String { columns.map { _ in "?," }.joined() }
  var table: String { "\"\(name)\"" }
}
