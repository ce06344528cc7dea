public import Foundation

/// The value of one attribute.
@frozen
public enum AttributeValue: Sendable, Hashable {
  /// No value.
  case null
  /// A boolean.
  case boolean(Bool)
  /// A whole number.
  case integer(Int64)
  /// A floating-point number; floats too.
  case double(Double)
  /// A date.
  case date(Date)
  /// Text.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A UUID.
  case uuid(UUID)
  /// A URI.
  case uri(URL)
  /// An exact decimal number.
  case decimal(Decimal)
  /// Named elements.
  indirect case composite([String: AttributeValue])
  /// The number of another object of the same store, as a to-one stores it.
  case reference(Int64)

  /// Whether there is no value.
  @inlinable
  public var isNull: Bool {
    if case .null = self { return true }
    return false
  }

  /// Whether an attribute of a type may have this value.
  ///
  /// Null fits every type; integers must be in range.
  public func matches(_ type: AttributeType) -> Bool {
    switch (self, type) {
    case (.null, _), (_, .undefined): true
    case (.integer(let integer), .integer16): Int16(exactly: integer) != nil
    case (.integer(let integer), .integer32): Int32(exactly: integer) != nil
    case (.integer, .integer64), (.boolean, .boolean), (.date, .date), (.string, .string): true
    case (.double(let double), .float): double.isNaN || Double(Float(double)) == double
    case (.double, .double), (.data, .binary), (.data, .transformable), (.uuid, .uuid), (.uri, .uri): true
    case (.uri, .objectID), (.decimal, .decimal), (.composite, .composite): true
    default: false
    }
  }
}

extension AttributeValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral
{
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A floating-point number.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
}
