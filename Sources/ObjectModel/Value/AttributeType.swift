/// The types an attribute can have: Core Data's.
@frozen
public enum AttributeType: String, Sendable, Codable, CaseIterable, Hashable {
  /// No type; for transient attributes only.
  case undefined
  /// A whole number of 16 bits.
  case integer16
  /// A whole number of 32 bits.
  case integer32
  /// A whole number of 64 bits.
  case integer64
  /// An exact decimal number of up to 38 digits.
  case decimal
  /// A 64-bit floating-point number.
  case double
  /// A 32-bit floating-point number.
  case float
  /// Text.
  case string
  /// True or false.
  case boolean
  /// A date, stored bit for bit as seconds since 2001-01-01 UTC.
  case date
  /// Bytes.
  case binary
  /// A UUID.
  case uuid
  /// A URI.
  case uri
  /// A program's own type, as the bytes its transformer makes.
  case transformable
  /// Named elements under one attribute.
  case composite
  /// The ID of another object, as a URI.
  case objectID
}

extension AttributeType {
  /// Whether values are whole numbers.
  public var isInteger: Bool { self == .integer64 || self == .integer32 || self == .integer16 }
}
