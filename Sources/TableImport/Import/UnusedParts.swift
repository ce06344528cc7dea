/// The tables that no entity takes, and the columns that no property takes.
struct UnusedParts {
  /// What is left out, one sentence each.
  private(set) var notes: [String] = []

  /// - Throws: `TableImportError` `wrongModel` for a file that no entity takes: it was named to come in.
  init(_ plan: ImportPlan, _ tables: [SourceTable]) throws {
    let used = Self.columns(plan)
    let entities = Set(plan.rows.map(\.table))
    for (index, table) in tables.enumerated() {
      guard let columns = used[index] else {
        guard table.format == .sqlite else {
          throw TableImportError(
            .wrongModel,
            "no entity of the model is of the file \(table.name); leave the file out, or add an entity to the"
              + " model that has its name, or has it as the user info \(SourceMark.table)")
        }
        notes.append("\(table.name) is of no entity; it is left out")
        continue
      }
      for (place, column) in table.columns.enumerated() where !columns.contains(place) {
        // Rows of a table of links may be numbered.
        if column.isRowNumber, !entities.contains(index) { continue }
        notes.append("\(table.name).\(column.name) is of no property; it is left out")
      }
    }
  }

  /// The columns that are read, by the tables that are.
  private static func columns(_ plan: ImportPlan) -> [Int: Set<Int>] {
    var used = Dictionary(plan.rows.map { ($0.table, Set<Int>()) }) { first, _ in first }
    func use(_ key: SourceForeignKey, of table: Int) {
      used[table, default: []].formUnion(key.columns)
      used[key.table, default: []].formUnion(key.keyColumns)
    }
    for rows in plan.rows {
      for (_, source) in rows.sources {
        switch source {
        case .value(_, let column, _): used[rows.table, default: []].insert(column)
        case .toOne(_, let key): use(key, of: rows.table)
        case .inverse(_, let table, let key): use(key, of: table)
        case .fixed: break
        }
      }
    }
    for links in plan.links {
      use(links.source, of: links.table)
      if let destination = links.destination { use(destination, of: links.table) }
    }
    return used
  }
}
