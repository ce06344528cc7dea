/// The row that has given values, as SQL.
enum KeyLookup {
  /// The number of the row `k` of a table whose columns have the values that columns of the row `t` have.
  static func sql(_ columns: [Int], of table: SourceTable, by values: [Int], of row: SourceTable) -> String {
    "(SELECT k.\(table.rowNumber ?? "rowid") FROM \(table.sql) AS k WHERE"
      + " \(condition(columns, of: table, by: values, of: row)) LIMIT 1)"
  }

  /// That columns of the row `k` have the values that columns of the row `t` have.
  static func condition(
    _ columns: [Int], of table: SourceTable, by values: [Int], of row: SourceTable
  ) -> String {
    zip(columns, values).map {
      let (own, other) = ("k." + table.columns[$0].sql, "t." + row.columns[$1].sql)
      // CSV has texts only: 1 in JSON lines is "1" there, and no other text is. An index finds each.
      return switch (table.format, row.format) {
      case (.csv, .jsonLines): "\(own) = CAST(\(other) AS TEXT)"
      case (.jsonLines, .csv):
        "\(own) IN (\(other), CAST(\(other) AS NUMERIC)) AND CAST(\(own) AS TEXT) = \(other)"
      default: "\(own) = \(other)"
      }
    }.joined(separator: " AND ")
  }
}
