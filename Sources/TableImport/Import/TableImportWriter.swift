import CipherDatabase
import ObjectModel
import SQLCipherStore
import StoreContract

/// Writes the rows and links of tables into a new store.
final class TableImportWriter {
  private let catalogue: SourceCatalogue
  private let plan: ImportPlan
  private let filler: StoreFiller
  private let report: (TableImportFault) -> Void
  private let progress: (StoreProgress) -> Void
  private let tables: [SourceTable]
  private let total: Int
  private var done = 0
  private(set) var summary = TableImportSummary()
  private static let mostBetweenReports = 1000

  init(
    _ catalogue: SourceCatalogue, _ plan: ImportPlan, _ filler: StoreFiller,
    fault: @escaping (TableImportFault) -> Void, progress: @escaping (StoreProgress) -> Void
  ) throws {
    self.catalogue = catalogue
    self.plan = plan
    self.filler = filler
    report = fault
    self.progress = progress
    tables = try SourcePreparation(catalogue, plan).tables
    total = (plan.rows.map(\.table) + plan.links.map(\.table)).reduce(0) {
      $0 + catalogue.tables[$1].rowCount
    }
  }

  func write() throws {
    if Task.isCancelled { throw StoreError.stopped }
    catalogue.faults.forEach(report)
    if catalogue.faultCount > 0 { summary.faults[.line] = catalogue.faultCount }
    for rows in plan.rows { try write(rows) }
    try filler.finishRows()
    let tableOf = Dictionary(plan.rows.map { ($0.entity.index, tables[$0.table].name) }) { first, _ in first }
    for refusal in filler.refused {
      summary.objects[refusal.entity.name, default: 0] -= 1
      fault(
        TableImportFault(
          .notUnique, tableOf[refusal.entity.index] ?? refusal.entity.name, refusal.reference, nil,
          "it breaks a uniqueness constraint; it is left out"))
    }
    for links in plan.links { try write(links) }
    progress(StoreProgress(step: .importing, done: total, total: total))
  }

  private func fault(_ fault: TableImportFault) {
    summary.faults[fault.kind, default: 0] += 1
    report(fault)
  }

  private func advance() throws {
    done += 1
    guard done % Self.mostBetweenReports == 0 else { return }
    if Task.isCancelled { throw StoreError.stopped }
    progress(StoreProgress(step: .importing, done: min(done, total), total: total))
  }

  private func write(_ plan: ImportPlan.Rows) throws {
    filler.reserve(tables[plan.table].greatestNumber, plan.entity.root)
    let reader = try TableRowReader(plan, tables, catalogue.database)
    while try reader.next() {
      try filler.insert(plan.entity, reference: reader.number, version: 1) { builder in
        summary.linkCount += try reader.read(into: builder, fault)
      }
      summary.objects[plan.entity.name, default: 0] += 1
      try advance()
    }
  }

  // MARK: Links

  private func write(_ links: ImportPlan.Links) throws {
    let table = tables[links.table]
    let number = table.rowNumber.map { "t." + $0 }
    let source = lookup(links.source, table)
    let destination = links.destination.map { lookup($0, table) } ?? number ?? "NULL"
    let rows = try catalogue.database.query(
      "SELECT \(number ?? "NULL"), \(source), \(destination) FROM \(table.sql) AS t"
        + (number.map { " ORDER BY " + $0 } ?? ""))
    // Counted through all rows, which gives each object's links their places among themselves.
    var position: Int64 = 0
    while try rows.step() {
      try advance()
      guard rows.kind(1) == .integer, rows.kind(2) == .integer else {
        // A to-one that leads nowhere was reported with its row.
        guard let destination = links.destination else { continue }
        let key = rows.kind(1) == .integer ? destination : links.source
        fault(
          TableImportFault(
            .dangling, table.name, rows.kind(0) == .null ? nil : rows.integer(0), table.name(key),
            "it refers to no row; the link is left out"))
        continue
      }
      if filler.isRefused(rows.integer(1), links.relationship.entity)
        || filler.isRefused(rows.integer(2), links.relationship.destination)
      {
        continue
      }
      try filler.link(
        links.relationship, rows.integer(1), rows.integer(2), position: position, inversePosition: position)
      position += 1
      if links.destination != nil { summary.linkCount += 1 }
    }
    if let destination = links.destination { try checkRepetitions(links.source, destination, table) }
  }

  private func lookup(_ key: SourceForeignKey, _ table: SourceTable) -> String {
    KeyLookup.sql(key.keyColumns, of: tables[key.table], by: key.columns, of: table)
  }

  private func checkRepetitions(
    _ source: SourceForeignKey, _ destination: SourceForeignKey, _ table: SourceTable
  ) throws {
    let columns = source.columns + destination.columns
    if table.isKey(columns) { return }
    let names = columns.map { table.columns[$0].sql }
    let present = names.map { $0 + " IS NOT NULL" }.joined(separator: " AND ")
    let rows = try catalogue.database.query(
      "SELECT count(*) FROM \(table.sql) WHERE \(present) GROUP BY \(names.joined(separator: ", "))"
        + " HAVING count(*) > 1")
    while try rows.step() {
      for _ in 1..<rows.integer(0) {
        summary.linkCount -= 1
        fault(TableImportFault(.repeatedLink, table.name, nil, nil, "the same link twice; there is one"))
      }
    }
  }
}
