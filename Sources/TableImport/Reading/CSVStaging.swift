import CipherDatabase
import Foundation
import ObjectModel

/// Reads a CSV file into a temporary table.
struct CSVStaging {
  private let staged: StagedTable
  private let file: TextFile
  private(set) var faults: [TableImportFault] = []
  private var hasHeader = false

  init(_ url: URL, number: Int, _ database: PlainDatabase) throws {
    file = try TextFile(url)
    staged = try StagedTable(
      url.deletingPathExtension().lastPathComponent, .csv, number: number, database)
  }

  mutating func run(_ fault: (TableImportFault) -> Void) throws -> SourceTable {
    var reader = CSVReader(path: file.path, mostFields: SourceCatalogue.mostColumns)
    try file.each { piece in try reader.read(piece) { try add($0, fault) } }
    try reader.finish { try add($0, fault) }
    guard hasHeader else {
      throw TableImportError(.malformed, "\(file.path) has no line with the names of its columns; add one")
    }
    try staged.finish()
    return staged.table
  }

  private mutating func add(_ row: CSVReader.Row, _ fault: (TableImportFault) -> Void) throws {
    guard hasHeader else {
      hasHeader = true
      return try addHeader(row)
    }
    let columns = staged.table.columns.count
    if row.count != columns {
      let message =
        "it has \(row.count.counted("value")) for \(columns.counted("column"));"
        + (row.count < columns ? " those missing are null" : " those beyond are left out")
      fault(TableImportFault(.line, staged.table.name, Int64(row.line), nil, message))
    }
    for column in 0..<min(row.count, columns) where !row[column].isEmpty {
      staged.profile(column) { $0.add(text: row[column]) }
    }
    try staged.insert { parameters in
      for column in 0..<min(row.count, columns) where !row[column].isEmpty {
        parameters.bind(Int32(column + 1), text: row[column])
      }
    }
  }

  private func addHeader(_ row: CSVReader.Row) throws {
    var names: Set<String> = []
    for column in 0..<row.count {
      let text = String(decoding: row[column], as: UTF8.self).trimmingCharacters(in: .whitespaces)
      var name = text.isEmpty ? "column\(column + 1)" : text
      var number = 2
      while !names.insert(name.lowercased()).inserted {
        name = "\(text)\(number)"
        number += 1
      }
      try staged.add(column: name)
    }
  }
}
