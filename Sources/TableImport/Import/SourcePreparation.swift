import CipherDatabase

/// Makes what an import needs of tables that have no row numbers above 0, or no index of a key: a
/// temporary copy.
struct SourcePreparation {
  private(set) var tables: [SourceTable]
  private let database: PlainDatabase

  init(_ catalogue: SourceCatalogue, _ plan: ImportPlan) throws {
    tables = catalogue.tables
    database = catalogue.database
    for rows in plan.rows where try !hasNumbers(rows.table) { try copy(rows.table) }
    for (index, columns) in plan.lookups where !isIndexed(index, columns) {
      if tables[index].format == .sqlite { try copy(index) }
      try addIndex(index, columns)
    }
    for rows in plan.rows { try readGreatestNumber(rows.table) }
  }

  private func isCopied(_ index: Int) -> Bool { !tables[index].sql.hasPrefix("main.") }

  private func hasNumbers(_ index: Int) throws -> Bool {
    guard let number = tables[index].rowNumber else { return false }
    let least = try database.query("SELECT min(\(number)) FROM \(tables[index].sql)")
    return try !least.step() || least.kind(0) == .null || least.integer(0) > 0
  }

  /// An index over the columns, and no row twice by them.
  private func isIndexed(_ index: Int, _ columns: [Int]) -> Bool {
    let table = tables[index]
    guard table.isKey(columns), table.rowNumber != nil else { return false }
    return table.format != .sqlite || !isCopied(index)
  }

  private mutating func copy(_ index: Int) throws {
    guard !isCopied(index) else { return }
    let table = tables[index]
    let name = "s\(index)"
    let columns = table.columns.enumerated().map { place, column in
      "c\(place) \(Self.affinity(column.declaredType))\(column.collation)"
    }
    let selected = table.columns.map(\.sql).joined(separator: ", ")
    try database.execute("CREATE TEMP TABLE \(name) (\(columns.joined(separator: ", ")))")
    try database.execute("INSERT INTO temp.\(name) SELECT \(selected) FROM \(table.sql)")
    tables[index].sql = "temp." + name
    tables[index].rowNumber = "rowid"
    for column in table.columns.indices { tables[index].columns[column].sql = "c\(column)" }
  }

  private func addIndex(_ index: Int, _ columns: [Int]) throws {
    let table = tables[index]
    let names = columns.map { table.columns[$0].sql }.joined(separator: ", ")
    let name = "temp.i\(index)_" + columns.map(String.init).joined(separator: "_")
    try database.execute(
      "CREATE INDEX IF NOT EXISTS \(name) ON \(table.sql.dropFirst("temp.".count)) (\(names))")
  }

  /// What AUTOINCREMENT notes, so that the number of a deleted row is not given out again.
  private mutating func readGreatestNumber(_ index: Int) throws {
    guard !isCopied(index),
      let rows = try? database.query("SELECT seq FROM main.sqlite_sequence WHERE name = ?")
    else { return }
    rows.restart { $0.bind(1, tables[index].name) }
    if try rows.step() { tables[index].greatestNumber = max(0, rows.integer(0)) }
  }

  /// What SQLite compares a column's values as (sqlite.org/datatype3.html, 3.1).
  private static func affinity(_ declared: String) -> String {
    let name = declared.uppercased()
    func has(_ parts: String...) -> Bool { parts.contains { name.contains($0) } }
    if has("INT") { return "INTEGER" }
    if has("CHAR", "CLOB", "TEXT") { return "TEXT" }
    if name.isEmpty || has("BLOB") { return "BLOB" }
    return has("REAL", "FLOA", "DOUB") ? "REAL" : "NUMERIC"
  }
}
