import Foundation

/// A value of JSON, with numbers as exact as they are written.
enum JSONMember: Codable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  /// A number with more digits than a double has.
  case long(Decimal)
  case text(String)
  case array([JSONMember])
  case object([String: JSONMember])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let integer = try? container.decode(Int64.self) {
      self = .integer(integer)
    } else if let double = try? container.decode(Double.self) {
      let exact = try? container.decode(Decimal.self)
      self = exact.map { Self.isLong($0) ? .long($0) : .real(double) } ?? .real(double)
    } else if let flag = try? container.decode(Bool.self) {
      self = .boolean(flag)
    } else if let array = try? container.decode([JSONMember].self) {
      self = .array(array)
    } else {
      self = .object(try container.decode([String: JSONMember].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .boolean(let flag): try container.encode(flag)
    case .integer(let integer): try container.encode(integer)
    case .real(let double): try container.encode(double)
    case .long(let decimal): try container.encode(decimal)
    case .text(let text): try container.encode(text)
    case .array(let array): try container.encode(array)
    case .object(let object): try container.encode(object)
    }
  }

  private static func isLong(_ decimal: Decimal) -> Bool {
    let text = Array(decimal.description.utf8)
    guard text.count > TextForms.doubleDigits else { return false }
    let end = text.lastIndex { $0 != UInt8(ascii: "0") } ?? 0
    return text[...end].withUnsafeBytes { TextForms.digits($0) } > TextForms.doubleDigits
  }

  /// As a temporary table has it; nil for null.
  func staged() throws -> StagedValue? {
    switch self {
    case .null: nil
    case .boolean(let flag): .text(Array((flag ? "true" : "false").utf8))
    case .integer(let integer): .integer(integer)
    case .real(let double): .real(double)
    case .long(let decimal): .text(Array(decimal.description.utf8))
    case .text(let text): .text(Array(text.utf8))
    case .array, .object: .blob(Array(try JSONEncoder().encode(self)))
    }
  }

  func add(to profile: inout ColumnProfile) {
    switch self {
    case .null: break
    case .boolean: profile.addBoolean()
    case .integer(let integer): profile.add(integer: integer)
    case .real: profile.addReal()
    case .long: profile.addLongNumber()
    case .text(let text): Array(text.utf8).withUnsafeBytes { profile.add(text: $0) }
    case .array, .object: profile.addStructure()
    }
  }
}
