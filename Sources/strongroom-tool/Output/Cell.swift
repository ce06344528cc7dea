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
  case composite([String: AttributeValue])

  init(_ number: Int) { self = .number(String(number)) }

  init(_ value: AttributeValue) {
    switch value {
    case .null: self = .null
    case .boolean(let flag): self = .boolean(flag)
    case .integer, .reference: self = .number(value.text)
    // JSON cannot represent infinity and NaN.
    case .double(let double): self = double.isFinite ? .number(value.text) : .text(value.text)
    case .decimal(let decimal): self = decimal.isFinite ? .number(value.text) : .text(value.text)
    case .composite(let elements): self = .composite(elements)
    default: self = .text(value.text)
    }
  }

  /// A value of an attribute: a Codable value is JSON, which it is stored as.
  init(_ value: AttributeValue, of type: AttributeType) {
    if type == .transformable, case .data(let data) = value, let json = Self.json(data) {
      self = .json(json)
    } else {
      self.init(value)
    }
  }

  private static func json(_ data: Data) -> String? {
    guard !data.contains(0),
      (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) != nil
    else { return nil }
    // Outside of strings, where line breaks are escaped, they mean nothing.
    return String(validating: data.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self)
  }

  /// For a table and for CSV.
  var text: String {
    switch self {
    case .null: ""
    case .text(let text), .number(let text), .json(let text): text
    case .boolean(let flag): flag ? "true" : "false"
    case .composite(let elements): AttributeValue.composite(elements).text
    }
  }
}

extension Cell: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  init(stringLiteral value: String) { self = .text(value) }
}

/// Writes rows as objects of JSON, each on one line.
struct RowEncoder {
  private let encoder = JSONEncoder()
  /// The columns in the order of their names, with the text before their values.
  private let columns: [(index: Int, key: String)]

  /// The first of several columns with the same name is printed.
  init(_ columns: [String]) {
    encoder.outputFormatting = .withoutEscapingSlashes
    let places = Dictionary(zip(columns, columns.indices)) { first, _ in first }
    let encoder = encoder
    self.columns = places.sorted { $0.key < $1.key }.map {
      ($0.value, Self.string($0.key, encoder) + ":")
    }
  }

  func object(_ row: [Cell]) -> String {
    "{" + columns.map { $0.key + value(row[$0.index]) }.joined(separator: ",") + "}"
  }

  /// A cell as a value of JSON.
  func value(_ cell: Cell) -> String {
    switch cell {
    case .null: "null"
    case .text(let text): Self.string(text, encoder)
    case .composite(let elements):
      "{"
        + elements.sorted { $0.key < $1.key }.map {
          Self.string($0.key, encoder) + ":" + value(Cell($0.value))
        }.joined(separator: ",") + "}"
    case .boolean, .number, .json: cell.text
    }
  }

  private static func string(_ text: String, _ encoder: JSONEncoder) -> String {
    let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    if isPlain { return "\"\(text)\"" }
    // Any text can be encoded.
    return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }
}
