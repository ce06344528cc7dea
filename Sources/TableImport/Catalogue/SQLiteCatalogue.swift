import CipherDatabase
import Foundation

/// Reads which tables a database has, and what its columns hold.
struct SQLiteCatalogue {
  private(set) var catalogue: SourceCatalogue
  private let database: PlainDatabase

  private struct Listed {
    let name: String
    let type: String
  }

  init(_ database: PlainDatabase, profiling: Bool) throws {
    self.database = database
    catalogue = SourceCatalogue(database)
    catalogue.notes += database.logNotes
    let listed = try listedTables()
    for one in listed { try add(one) }
    for index in catalogue.tables.indices { try addForeignKeys(index) }
    for index in catalogue.tables.indices {
      try addIndexes(index)
      if profiling { try profile(index) }
    }
  }

  // MARK: Tables

  private mutating func listedTables() throws -> [Listed] {
    let rows = try database.query(
      "SELECT name, type, rootpage FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name")
    var listed: [Listed] = []
    while try rows.step() {
      let isVirtual = rows.text(1) == "table" && rows.integer(2) == 0
      listed.append(Listed(name: rows.text(0), type: isVirtual ? "virtual" : rows.text(1)))
    }
    let virtual = listed.filter { $0.type == "virtual" }.map { $0.name.lowercased() + "_" }
    return listed.filter { one in
      if one.name.lowercased().hasPrefix("sqlite_") { return false }
      switch one.type {
      case "view": catalogue.notes.append("\(one.name) is a view; it is left out")
      case "virtual": catalogue.notes.append("\(one.name) is a virtual table; it is left out")
      case "table" where !virtual.contains { one.name.lowercased().hasPrefix($0) }: return true
      default: catalogue.notes.append("\(one.name) belongs to a virtual table; it is left out")
      }
      return false
    }
  }

  private mutating func add(_ listed: Listed) throws {
    var table = SourceTable(
      listed.name, .sqlite, sql: "main." + PlainDatabase.quoted(listed.name), rowNumber: nil)
    let name = PlainDatabase.quoted(listed.name)
    // Libraries of before 2018 do not know of generated columns, and this pragma of theirs.
    let known = try database.query("PRAGMA main.table_xinfo(\(name))")
    let rows = known.columnCount > 0 ? known : try database.query("PRAGMA main.table_info(\(name))")
    var key: [(place: Int64, column: Int)] = []
    while try rows.step() {
      // 1 is a hidden column of a virtual table; 2 and 3 are generated.
      let hidden = rows.columnCount > 6 ? rows.integer(6) : 0
      guard hidden != 1 else { continue }
      var column = SourceColumn(rows.text(1), sql: PlainDatabase.quoted(rows.text(1)))
      column.declaredType = rows.text(2)
      column.isNotNull = rows.integer(3) != 0
      if rows.kind(4) != .null { column.defaultText = rows.text(4) }
      if rows.integer(5) > 0 { key.append((rows.integer(5), table.columns.count)) }
      if hidden > 1 {
        catalogue.notes.append(
          "\(listed.name).\(column.name) is computed in the source; its values come in as they are")
      }
      table.columns.append(column)
    }
    table.primaryKey = key.sorted { $0.place < $1.place }.map(\.column)
    readRowNumber(&table)
    let count = try database.query("SELECT count(*) FROM \(table.sql)")
    if try count.step() { table.rowCount = Int(count.integer(0)) }
    catalogue.tables.append(table)
  }

  /// Finds the row number by a name that no column has; a table WITHOUT ROWID has none.
  private func readRowNumber(_ table: inout SourceTable) {
    let names = table.columns.map { $0.name.lowercased() }
    let free = ["_rowid_", "rowid", "oid"].first { !names.contains($0) }
    guard let free, (try? database.query("SELECT t.\(free) FROM \(table.sql) AS t")) != nil else { return }
    table.rowNumber = free
    if table.primaryKey.count == 1 {
      let column = table.primaryKey[0]
      table.columns[column].isRowNumber = table.columns[column].declaredType.isSame(as: "integer")
    }
  }

  // MARK: Keys and indexes

  private mutating func addForeignKeys(_ index: Int) throws {
    let name = catalogue.tables[index].name
    let rows = try database.query(
      "PRAGMA main.foreign_key_list(\(PlainDatabase.quoted(name)))")
    var found: [(id: Int64, destination: String, columns: [String], key: [String?], onDelete: String)] = []
    while try rows.step() {
      if found.last?.id != rows.integer(0) {
        found.append((rows.integer(0), rows.text(2), [], [], rows.text(6)))
      }
      found[found.count - 1].columns.append(rows.text(3))
      found[found.count - 1].key.append(rows.kind(4) == .null ? nil : rows.text(4))
    }
    // The library lists the last one first.
    for one in found.reversed() {
      let columns = one.columns.compactMap { catalogue.tables[index].column($0) }
      guard let destination = catalogue.index(of: one.destination) else {
        catalogue.notes.append(
          "\(name).\(one.columns.joined(separator: ", ")) refers to \(one.destination), which is not there;"
            + " it stays a value")
        continue
      }
      let table = catalogue.tables[destination]
      let key =
        one.key.contains { $0 == nil }
        ? table.primaryKey : one.key.compactMap { $0.flatMap { table.column($0) } }
      guard key.count == columns.count, columns.count == one.columns.count else {
        catalogue.notes.append(
          "\(name).\(one.columns.joined(separator: ", ")) refers to columns that \(table.name) has not; it"
            + " stays a value")
        continue
      }
      catalogue.tables[index].foreignKeys.append(
        SourceForeignKey(columns: columns, table: destination, keyColumns: key, onDelete: one.onDelete))
    }
  }

  private mutating func addIndexes(_ index: Int) throws {
    let table = catalogue.tables[index]
    let rows = try database.query("PRAGMA main.index_list(\(PlainDatabase.quoted(table.name)))")
    var (uniques, indexes): ([[Int]], [SourceIndex]) = ([], [])
    while try rows.step() {
      let (name, isUnique) = (rows.text(1), rows.integer(2) != 0)
      try readCollations(of: name, index)
      // An index of the primary key shows that its column is not the row number itself.
      if rows.text(3) == "pk" {
        for column in table.primaryKey { catalogue.tables[index].columns[column].isRowNumber = false }
        continue
      }
      guard rows.integer(4) == 0, let columns = try indexColumns(name, table) else {
        catalogue.notes.append("the index \(name) is of expressions or of some rows; it is left out")
        continue
      }
      if isUnique {
        uniques.append(columns.map(\.column))
      } else {
        indexes.append(SourceIndex(name: name, columns: columns))
      }
    }
    catalogue.tables[index].uniques = uniques.reversed()
    catalogue.tables[index].indexes = indexes.reversed()
  }

  /// What keys are compared by: a table that is copied would compare them as bytes.
  private mutating func readCollations(of name: String, _ index: Int) throws {
    let rows = try database.query("PRAGMA main.index_xinfo(\(PlainDatabase.quoted(name)))")
    while try rows.step() {
      guard rows.integer(5) != 0, rows.kind(2) != .null,
        ["NOCASE", "RTRIM"].contains(rows.text(4).uppercased()),
        let column = catalogue.tables[index].column(rows.text(2))
      else { continue }
      catalogue.tables[index].columns[column].collation = " COLLATE \(rows.text(4).uppercased())"
    }
  }

  private func indexColumns(_ name: String, _ table: SourceTable) throws -> [(
    column: Int, isAscending: Bool
  )]? {
    let rows = try database.query("PRAGMA main.index_xinfo(\(PlainDatabase.quoted(name)))")
    var columns: [(column: Int, isAscending: Bool)] = []
    while try rows.step() {
      if rows.integer(5) == 0 { continue }
      guard rows.kind(2) != .null, let column = table.column(rows.text(2)) else { return nil }
      columns.append((column, rows.integer(3) == 0))
    }
    return columns.isEmpty ? nil : columns
  }

  // MARK: Values

  /// Reads every row: what a column declares says little of what it holds.
  private mutating func profile(_ index: Int) throws {
    let table = catalogue.tables[index]
    guard !table.columns.isEmpty, table.columns.count <= SourceCatalogue.mostColumns else { return }
    let rows = try database.query(
      "SELECT \(table.columns.map(\.sql).joined(separator: ", ")) FROM \(table.sql)")
    var profiles = table.columns.map(\.profile)
    var count = 0
    while try rows.step() {
      count += 1
      if count % 1024 == 0, Task.isCancelled { throw CipherError(.interrupted, "cancelled") }
      for column in profiles.indices {
        switch rows.kind(Int32(column)) {
        case .null: continue
        case .integer: profiles[column].add(integer: rows.integer(Int32(column)))
        case .real: profiles[column].addReal()
        case .text: profiles[column].add(text: rows.bytes(Int32(column)))
        case .blob: profiles[column].addBlob(count: rows.bytes(Int32(column)).count)
        }
      }
    }
    for column in profiles.indices { catalogue.tables[index].columns[column].profile = profiles[column] }
  }
}
