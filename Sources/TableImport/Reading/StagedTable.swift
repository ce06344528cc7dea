import CipherDatabase

/// A value of a text file on its way into a temporary table.
enum StagedValue {
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])
}

/// A temporary table that the rows of a text file are put into.
///
/// SQL finds there what keys and references are, in fixed memory.
final class StagedTable {
  private let database: PlainDatabase
  private(set) var table: SourceTable
  private var insertion: PlainQuery?

  init(_ name: String, _ format: TableFormat, number: Int, _ database: PlainDatabase) throws {
    self.database = database
    table = SourceTable(name, format, sql: "temp.t\(number)", rowNumber: "rowid")
    try database.execute("CREATE TEMP TABLE t\(number) (_ INTEGER)")
  }

  /// Adds a column; CSV has texts only, whatever they are compared with.
  func add(column name: String) throws {
    let sql = "c\(table.columns.count)"
    let type = table.format == .csv ? " TEXT" : ""
    insertion = nil
    try database.execute("ALTER TABLE \(table.sql) ADD COLUMN \(sql)\(type)")
    table.columns.append(SourceColumn(name, sql: sql))
  }

  func profile(_ column: Int, _ add: (inout ColumnProfile) -> Void) { add(&table.columns[column].profile) }

  /// Adds a row; the closure binds the columns, numbered from 1.
  func insert(_ bind: (PlainParameters) -> Void) throws {
    let insertion = try self.insertion ?? self.prepared()
    self.insertion = insertion
    insertion.restart(bind)
    _ = try insertion.step()
    insertion.reset()
    table.rowCount += 1
  }

  private func prepared() throws -> PlainQuery {
    let columns = table.columns.map(\.sql)
    return try database.query(
      "INSERT INTO \(table.sql) (\((["_"] + columns).joined(separator: ", "))) VALUES (NULL"
        + String(repeating: ", ?", count: columns.count) + ")")
  }

  /// Finds the primary key: a column named `id` whose values are all there and all different.
  func finish() throws {
    insertion = nil
    let names = ["id", "_id", table.name.lowercased() + "id", table.name.lowercased() + "_id"]
    for name in names {
      guard let column = table.column(name), table.columns[column].profile.count == table.rowCount,
        table.rowCount > 0
      else { continue }
      do {
        try index([column], isUnique: true)
        table.primaryKey = [column]
        table.columns[column].isNotNull = true
        return
      } catch {
        guard error.code == .constraint else { throw error }
      }
    }
  }

  private func index(_ columns: [Int], isUnique: Bool) throws(CipherError) {
    let names = columns.map { table.columns[$0].sql }.joined(separator: ", ")
    let name = table.sql + "_" + columns.map(String.init).joined(separator: "_")
    try database.execute(
      "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(name) ON \(table.sql.dropFirst("temp.".count)) (\(names))")
  }
}
