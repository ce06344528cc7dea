import Foundation
import StrongroomData

extension SQLiteStore {
  /// What follows the table in a statement, and its values.
  typealias Tail = (sql: String, values: [SQLiteValue])

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    var found: [SQLiteRow] = []
    for (table, tail) in try questions(request.descriptor) {
      var rows = try database.run("\(table.selection)\(tail.sql)", tail.values).map { try row($0, table) }
      for inverse in table.inverses { try fill(&rows, inverse) }
      found += rows
    }
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: try found.map { try DefaultSnapshot(from: SQLiteRowDecoder(row: $0)) })
  }

  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try questions(request.descriptor).reduce(0) { sum, question in
      let (table, tail) = question
      let sql = "SELECT count(*) FROM (SELECT _id FROM \"\(table.name)\"\(tail.sql))"
      guard case .integer(let count)? = try database.run(sql, tail.values).first?[0] else { return sum }
      return sum + Int(count)
    }
  }

  func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try questions(request.descriptor).flatMap { table, tail in
      try database.run("SELECT _id FROM \"\(table.name)\"\(tail.sql)", tail.values).map { row in
        guard case .integer(let key) = row[0] else { throw DataStoreError.unsupportedFeature }
        return try named(key, table.name)
      }
    }
  }

  /// The tables of a class and its subclasses, each with what is asked of it.
  private func questions<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [(SQLiteTable, Tail)] {
    let name = Schema.entityName(for: T.self)
    let tables = tables.values.filter { $0.kinds.contains(name) }.sorted { $0.name < $1.name }
    let isLimited = descriptor.fetchLimit != nil || descriptor.fetchOffset != nil
    if tables.count > 1, !descriptor.sortBy.isEmpty || isLimited { throw DataStoreError.preferInMemorySort }
    return try tables.map { table in
      var tail = try condition(descriptor.predicate, table)
      tail.sql += try order(descriptor.sortBy, table)
      if isLimited {
        tail.sql += " LIMIT ? OFFSET ?"
        let limit = descriptor.fetchLimit ?? 0
        tail.values += [
          .integer(Int64(limit > 0 ? limit : -1)), .integer(Int64(descriptor.fetchOffset ?? 0)),
        ]
      }
      return (table, tail)
    }
  }

  private func columns<T: PersistentModel>(
    _ type: T.Type, _ table: SQLiteTable
  ) -> [AnyKeyPath: SQLiteTable.Column] {
    var result: [AnyKeyPath: SQLiteTable.Column] = [:]
    for property in T.schemaMetadata {
      result[property.keypath] = table.columns.first { $0.name == property.name }
    }
    return result
  }

  func condition<T: PersistentModel>(_ predicate: Predicate<T>?, _ table: SQLiteTable) throws -> Tail {
    guard let predicate else { return ("", []) }
    let scope = SQLiteScope(
      columns: columns(T.self, table), identity: \T.persistentModelID,
      key: { [self] in $0.entityName == table.name ? key($0) : nil })
    let (sql, values) = try scope.condition(predicate.expression)
    return (" WHERE \(sql)", values)
  }

  private func order<T: PersistentModel>(_ sortBy: [SortDescriptor<T>], _ table: SQLiteTable) throws -> String
  {
    let columns = columns(T.self, table)
    let terms = try sortBy.map { descriptor -> String in
      guard let path = descriptor.keyPath, let column = columns[path], SQLiteValue.isOrdered(column.type)
      else { throw DataStoreError.preferInMemorySort }
      // A localized order is not SQLite's.
      let isText = column.type == String.self || column.type == String?.self
      if isText, descriptor.stringComparator != .lexical { throw DataStoreError.preferInMemorySort }
      return "\"\(column.name)\" \(descriptor.order == .forward ? "ASC" : "DESC")"
    }
    return " ORDER BY " + (terms + ["_id"]).joined(separator: ", ")
  }

  // MARK: Rows

  private func row(_ values: [SQLiteValue], _ table: SQLiteTable) throws -> SQLiteRow {
    guard case .integer(let key) = values[0] else { throw DataStoreError.unsupportedFeature }
    var row = SQLiteRow(identifier: try named(key, table.name))
    for (column, value) in zip(table.columns, values.dropFirst()) {
      if column.isToMany {
        row.toManys[column.name] = try (value.value([String].self) ?? []).map(referenced)
      } else if column.isToOne {
        if case .text(let text) = value { row.toOnes[column.name] = try referenced(text) }
      } else {
        row.values[column.name] = value
      }
    }
    return row
  }

  static func list(_ references: some Sequence<String>) -> String {
    references.map { "'\($0)'" }.joined(separator: ",")
  }

  /// Adds a to-many to rows of one table: one statement for each table that may lead to them.
  private func fill(_ rows: inout [SQLiteRow], _ inverse: SQLiteTable.Inverse) throws {
    var places: [String: Int] = [:]
    for (place, row) in rows.enumerated() {
      rows[place].toManys[inverse.name] = []
      places[reference(row.identifier)] = place
    }
    // Of many rows it is cheaper to read all that leads to any.
    let condition = places.count > 500 ? "NOT NULL" : "IN (\(Self.list(places.keys)))"
    for table in tables.values where table.kinds.contains(inverse.destination) {
      let sql =
        "SELECT _id, \"\(inverse.column)\" FROM \"\(table.name)\" WHERE \"\(inverse.column)\" \(condition)"
        + " ORDER BY _id"
      for found in try database.run(sql) {
        guard case .integer(let key) = found[0], case .text(let owner) = found[1], let place = places[owner]
        else { continue }
        rows[place].toManys[inverse.name]?.append(try named(key, table.name))
      }
    }
  }
}
