import ArgumentParser
import Foundation
import TextTable

/// How rows are printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, csv
}

/// Turns rows of texts into a table, JSON or CSV.
struct RowPrinter {
  let columns: [String]
  let format: OutputFormat
  /// Longer cells of a table are cut, so that a row stays a line.
  private static let widest = 60

  init(columns: [String], format: OutputFormat) {
    self.columns = columns
    self.format = format
  }

  func text(_ rows: [[String]]) -> String {
    switch format {
    case .table:
      if rows.isEmpty { return "no rows" }
      let table = TextTable<[String]> { row in
        zip(columns, row).map { Column(title: $0, value: Self.cell($1)) }
      }
      return table.string(for: rows, style: Style.psql) ?? ""
    case .json:
      let objects = rows.map { Dictionary(zip(columns, $0), uniquingKeysWith: { first, _ in first }) }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
      return (try? encoder.encode(objects)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
    case .csv:
      return ([columns] + rows).map(Self.line).joined(separator: "\n")
    }
  }

  /// A row as an object of JSON, on one line.
  func object(_ row: [String]) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let object = Dictionary(zip(columns, row), uniquingKeysWith: { first, _ in first })
    return (try? encoder.encode(object)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// A row as a line of CSV.
  static func line(_ row: [String]) -> String { row.map(field).joined(separator: ",") }

  private static func cell(_ text: String) -> String {
    let line = String(text.prefix { !$0.isNewline })
    return line.count > widest || line.count < text.count ? String(line.prefix(widest - 1)) + "…" : line
  }

  /// RFC 4180: fields with commas, quotes or line ends stand in quotes.
  static func field(_ text: String) -> String {
    // By scalars: a mark behind a comma does not hide it.
    guard text.unicodeScalars.contains(where: { [",", "\"", "\n", "\r"].contains($0) }) else { return text }
    var field = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { field += "\"" }
      field.unicodeScalars.append(scalar)
    }
    return field + "\""
  }
}
