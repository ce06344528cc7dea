import CipherDatabase

/// A table as it is in its file, or as its lines are after they were read.
struct SourceTable {
  let name: String
  let format: TableFormat
  /// Its name in SQL.
  var sql: String
  /// What is its row's number in SQL; nil where its rows have none above 0.
  var rowNumber: String?
  var columns: [SourceColumn] = []
  /// The columns of the primary key, as indices.
  var primaryKey: [Int] = []
  /// Other sets of columns of which no two rows have the same values.
  var uniques: [[Int]] = []
  var indexes: [SourceIndex] = []
  var foreignKeys: [SourceForeignKey] = []
  /// How many rows it has.
  var rowCount = 0
  /// The greatest number that it ever gave to a row.
  var greatestNumber: Int64 = 0

  init(_ name: String, _ format: TableFormat, sql: String, rowNumber: String?) {
    self.name = name
    self.format = format
    self.sql = sql
    self.rowNumber = rowNumber
  }

  func column(_ name: String) -> Int? {
    columns.firstIndex { $0.name == name } ?? columns.firstIndex { $0.name.isSame(as: name) }
  }

  /// What a model calls a foreign key: the names of its columns.
  func name(_ key: SourceForeignKey) -> String {
    key.columns.map { columns[$0].name }.joined(separator: ", ")
  }

  func foreignKey(_ name: String) -> SourceForeignKey? {
    foreignKeys.first { self.name($0).isSame(as: name) }
  }

  /// Whether an index finds the row with given values, and there is at most one.
  func isKey(_ columns: [Int]) -> Bool {
    primaryKey == columns || uniques.contains { Set($0) == Set(columns) }
      || Set(primaryKey) == Set(columns)
  }

  /// The foreign keys of a table of nothing but links, and nil for any other.
  var links: (first: SourceForeignKey, second: SourceForeignKey)? {
    guard foreignKeys.count == 2 else { return nil }
    let linking = foreignKeys[0].columns + foreignKeys[1].columns
    let others = columns.indices.filter { !linking.contains($0) }
    let isOnlyNumbered =
      others.isEmpty || (others == primaryKey && others.count == 1 && columns[others[0]].isRowNumber)
    guard isOnlyNumbered, Set(linking).count == linking.count else { return nil }
    return (foreignKeys[0], foreignKeys[1])
  }
}

/// A column of a table.
struct SourceColumn {
  let name: String
  /// Its name in SQL.
  var sql: String
  var declaredType = ""
  var isNotNull = false
  /// What its keys are compared by, in SQL; empty for bytes.
  var collation = ""
  var defaultText: String?
  /// Whether it is the table's row number (INTEGER PRIMARY KEY).
  var isRowNumber = false
  var profile = ColumnProfile()

  init(_ name: String, sql: String) {
    self.name = name
    self.sql = sql
  }
}

/// An index that is declared in a database.
struct SourceIndex {
  let name: String
  let columns: [(column: Int, isAscending: Bool)]
}

/// Columns that name a row of another table.
struct SourceForeignKey {
  let columns: [Int]
  /// The table, as an index in the list of tables.
  let table: Int
  /// The columns of that table.
  let keyColumns: [Int]
  /// What SQLite does with the row when the other is deleted.
  let onDelete: String
}

extension String {
  /// Whether SQLite takes two names for the same.
  func isSame(as other: String) -> Bool { lowercased() == other.lowercased() }
}
