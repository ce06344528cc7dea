import ArgumentParser
import Foundation
import TextTable

/// How rows are printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, csv
}

/// Turns rows into a table, JSON or CSV.
struct RowPrinter {
  let columns: [String]
  let format: OutputFormat
  private let encoder: RowEncoder
  private let widest: Int

  /// - `widest`: The width to which a table's cells are truncated, so that a row stays a line.
  init(columns: [String], format: OutputFormat, widest: Int = 60) {
    self.columns = columns
    self.format = format
    self.widest = widest
    encoder = RowEncoder(columns)
  }

  func text(_ rows: [[Cell]]) -> String {
    switch format {
    case .table:
      if rows.isEmpty { return "no rows" }
      let texts = rows.map { $0.map { cut($0.text) } }
      // The table pads to a number of UTF-16 units, and would cut what has more of them than characters.
      let widths = columns.indices.map { column in
        texts.reduce(columns[column].utf16.count) { max($0, $1[column].utf16.count) }
      }
      let table = TextTable<[String]> { row in
        columns.indices.map { Column(title: columns[$0], value: row[$0], width: widths[$0]) }
      }
      return table.string(for: texts, style: Style.psql) ?? ""
    case .json:
      return rows.isEmpty ? "[]" : "[\n" + rows.map(object).joined(separator: ",\n") + "\n]"
    case .csv:
      return ([Self.line(columns)] + rows.map { Self.line($0.map(\.text)) }).joined(separator: "\n")
    }
  }

  /// A row as an object of JSON, on one line.
  func object(_ row: [Cell]) -> String { encoder.object(row) }

  /// The numbers of objects by entity, as a table.
  static func objects(_ counts: [String: Int]) -> String {
    let rows = counts.sorted { $0.key < $1.key }.map { [Cell.text($0.key), Cell($0.value)] }
    return RowPrinter(columns: ["entity", "objects"], format: .table).text(rows)
  }

  /// A row as a line of CSV.
  static func line(_ row: [String]) -> String { row.map(field).joined(separator: ",") }

  private func cut(_ text: String) -> String {
    let line = text.prefix { !$0.isNewline }
    let isCut = line.count > widest || line.count < text.count
    return Self.harmless(isCut ? line.prefix(widest - 1) + "…" : line)
  }

  /// A text whose control characters, which a terminal would obey, are written out.
  static func harmless(_ text: Substring) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if scalar.properties.generalCategory == .control || scalar.properties.isBidiControl {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// RFC 4180: fields with commas, quotes or line breaks are quoted.
  static func field(_ text: String) -> String {
    // Compare bytes: a combining mark after a comma does not hide it.
    let isPlain = text.utf8.allSatisfy { byte in
      byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\n")
        && byte != UInt8(ascii: "\r")
    }
    if isPlain { return text }
    var field = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { field += "\"" }
      field.unicodeScalars.append(scalar)
    }
    return field + "\""
  }
}
