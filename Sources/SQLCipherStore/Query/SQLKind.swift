import CipherDatabase
import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

/// What an SQL expression holds.
///
/// SQL knows numbers, texts and bytes only; the letter tells functions the rest.
enum SQLKind: Character, Sendable {
  case number = "n"
  case boolean = "b"
  case decimal = "d"
  case date = "t"
  case text = "s"
  case uri = "u"
  case bytes = "x"
  case uuid = "g"
  /// An object's number.
  case object = "o"
  /// A value whose kind shows with each row, as `CompositeCoding` writes it.
  case any = "y"
  /// Nothing but null.
  case null = "z"
  /// No value that anything equals, such as one that is no number.
  case nothing = "w"

  init(_ type: AttributeType) {
    switch type {
    case .integer16, .integer32, .integer64, .double, .float: self = .number
    case .boolean: self = .boolean
    case .decimal: self = .decimal
    case .date: self = .date
    case .string: self = .text
    case .uri, .objectID: self = .uri
    case .binary, .transformable: self = .bytes
    case .uuid: self = .uuid
    case .composite, .undefined: self = .any
    }
  }

  /// The kind of a constant.
  init(_ value: AttributeValue) {
    switch value {
    case _ where value.isNaN: self = .nothing
    case .null: self = .null
    case .boolean: self = .boolean
    case .integer, .double: self = .number
    case .date: self = .date
    case .string: self = .text
    case .data: self = .bytes
    case .uuid: self = .uuid
    case .uri: self = .uri
    case .decimal: self = .decimal
    case .composite: self = .any
    case .reference: self = .object
    }
  }

  var isNumeric: Bool { self == .number || self == .boolean }

  /// Whether SQL compares two expressions as memory compares their values.
  func compares(with other: SQLKind) -> Bool {
    self == other && self != .any && self != .nothing || isNumeric && other.isNumeric
  }

  /// Whether memory can find two values comparable though SQL cannot.
  func mayCompare(with other: SQLKind) -> Bool {
    if self == .any || other == .any { return self != .nothing && other != .nothing }
    return self == .decimal && other.isNumeric || isNumeric && other == .decimal
  }

  /// A value of the kind as SQL holds it.
  func read(_ arguments: FunctionArguments, _ place: Int) -> AttributeValue {
    let kind = arguments.kind(place)
    if kind == .null { return .null }
    switch self {
    case .number:
      return kind == .real ? .double(arguments.real(place)) : .integer(arguments.integer(place))
    case .boolean: return .boolean(arguments.integer(place) != 0)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: arguments.real(place)))
    case .text: return .string(arguments.text(place))
    case .object: return .reference(arguments.integer(place))
    case .decimal: return FieldCoding.value(.decimal, arguments.bytes(place))
    case .uri: return FieldCoding.value(.uri, arguments.bytes(place))
    case .uuid: return FieldCoding.value(.uuid, arguments.bytes(place))
    case .bytes: return .data(Data(arguments.bytes(place)))
    case .any: return CompositeCoding.decode(arguments.bytes(place)) ?? .null
    case .null, .nothing: return .null
    }
  }

  /// A value as SQL holds it in an expression of the kind.
  func write(_ value: AttributeValue) -> FunctionResult {
    if value.isNull { return .null }
    if self == .any { return CompositeCoding.encode(value).map(FunctionResult.text) ?? .null }
    return FunctionResult(value)
  }
}

extension AttributeValue {
  /// Whether it is no number, which no comparison finds equal to anything.
  fileprivate var isNaN: Bool {
    switch self {
    case .double(let double): double.isNaN
    case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
    case .decimal(let decimal): decimal.isNaN
    default: false
    }
  }
}

extension FunctionResult {
  /// A value as SQL holds it in an expression of its own kind.
  init(_ value: AttributeValue) {
    switch value {
    case .null: self = .null
    case .boolean(let flag): self = .integer(flag ? 1 : 0)
    case .integer(let integer), .reference(let integer): self = .integer(integer)
    case .double(let double): self = double.isNaN ? .null : .real(double)
    case .date(let date): self = .real(date.timeIntervalSinceReferenceDate)
    case .string(let text): self = .text(text)
    case .data(let data): self = .blob(Array(data))
    case .uuid(let uuid): self = withUnsafeBytes(of: uuid.uuid) { .blob(Array($0)) }
    case .uri(let url): self = .text(url.absoluteString)
    case .decimal(let decimal): self = DecimalCoding.encode(decimal).map { .blob($0) } ?? .null
    case .composite: self = CompositeCoding.encode(value).map(FunctionResult.text) ?? .null
    }
  }
}
