import Foundation
import Strongroom

/// One value of a row: text in a table and in CSV, and a typed value in JSON.
enum Cell {
  case null
  case text(String)
  case boolean(Bool)
  /// A number, which looks the same in every format.
  case number(String)
  /// Text that is already JSON.
  case json(String)

  init(_ number: Int) { self = .number(String(number)) }

  init(_ value: AttributeValue) {
    switch value {
    case .null: self = .null
    case .boolean(let flag): self = .boolean(flag)
    case .integer, .reference: self = .number(value.text)
    // JSON cannot represent infinity and NaN.
    case .double(let double): self = double.isFinite ? .number(value.text) : .text(value.text)
    case .decimal(let decimal): self = decimal.isFinite ? .number(value.text) : .text(value.text)
    default: self = .text(value.text)
    }
  }

  /// For a table and for CSV.
  var text: String {
    switch self {
    case .null: ""
    case .text(let text), .number(let text), .json(let text): text
    case .boolean(let flag): flag ? "true" : "false"
    }
  }
}

extension Cell: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  init(stringLiteral value: String) { self = .text(value) }
}

/// Writes rows as objects of JSON, each on one line.
struct RowEncoder {
  private let encoder = JSONEncoder()

  init() { encoder.outputFormatting = .withoutEscapingSlashes }

  func object(_ columns: [String], _ row: [Cell]) -> String {
    // The first of several columns with the same name is printed.
    let cells = Dictionary(zip(columns, row), uniquingKeysWith: { first, _ in first })
    return "{"
      + cells.sorted { $0.key < $1.key }.map { "\(string($0.key)):\(value($0.value))" }.joined(separator: ",")
      + "}"
  }

  private func value(_ cell: Cell) -> String {
    switch cell {
    case .null: "null"
    case .text(let text): string(text)
    case .boolean, .number, .json: cell.text
    }
  }

  private func string(_ text: String) -> String {
    // Any text can be encoded.
    (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }
}
