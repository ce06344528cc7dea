public import Foundation
public import ObjectModel

/// A Swift type that an attribute can be read as and written from.
public protocol AttributeConvertible {
  /// The value for an attribute of a type.
  func attributeValue(for type: AttributeType) -> AttributeValue
  /// The Swift value of an attribute's value; nil when it is of another type.
  init?(attributeValue: AttributeValue)
}

extension AttributeConvertible where Self: FixedWidthInteger {
  /// The number, as a boolean for boolean attributes.
  public func attributeValue(for type: AttributeType) -> AttributeValue {
    guard let integer = Int64(exactly: self) else { return .decimal(Decimal(string: "\(self)") ?? .nan) }
    return switch type {
    case .double, .float: .double(Double(integer))
    case .decimal: .decimal(Decimal(integer))
    default: .integer(integer)
    }
  }

  /// Integers that fit, and decimals that are such.
  public init?(attributeValue: AttributeValue) {
    switch attributeValue {
    case .integer(let integer): self.init(exactly: integer)
    case .decimal(let decimal): self.init("\(decimal)")
    default: return nil
    }
  }
}

extension Int: AttributeConvertible {}
extension Int64: AttributeConvertible {}
extension Int32: AttributeConvertible {}
extension Int16: AttributeConvertible {}
extension Int8: AttributeConvertible {}
extension UInt8: AttributeConvertible {}
extension UInt16: AttributeConvertible {}
extension UInt32: AttributeConvertible {}
/// Numbers above `Int64.max` fit decimal attributes only, where they compare, sort and add up
/// exactly.
extension UInt64: AttributeConvertible {}
/// Numbers above `Int64.max` fit decimal attributes only, where they compare, sort and add up
/// exactly.
extension UInt: AttributeConvertible {}

extension Bool: AttributeConvertible {
  /// A boolean.
  public func attributeValue(for type: AttributeType) -> AttributeValue { .boolean(self) }
  /// Booleans only.
  public init?(attributeValue: AttributeValue) {
    guard case .boolean(let flag) = attributeValue else { return nil }
    self = flag
  }
}

extension Double: AttributeConvertible {
  /// A number.
  public func attributeValue(for type: AttributeType) -> AttributeValue { .double(self) }
  /// Floating-point numbers only.
  public init?(attributeValue: AttributeValue) {
    guard case .double(let double) = attributeValue else { return nil }
    self = double
  }
}

extension Float: AttributeConvertible {
  /// A number.
  public func attributeValue(for type: AttributeType) -> AttributeValue { .double(Double(self)) }
  /// Floating-point numbers, rounded.
  public init?(attributeValue: AttributeValue) {
    guard case .double(let double) = attributeValue else { return nil }
    self = Float(double)
  }
}

extension CGFloat: AttributeConvertible {
  /// A number.
  public func attributeValue(for type: AttributeType) -> AttributeValue { .double(Double(self)) }
  /// Floating-point numbers only.
  public init?(attributeValue: AttributeValue) {
    guard case .double(let double) = attributeValue else { return nil }
    self.init(double)
  }
}

extension String: AttributeConvertible {
  /// Text.
  public func attributeValue(for type: AttributeType) -> AttributeValue { .string(self) }
  /// Text only.
  public init?(attributeValue: AttributeValue) {
    guard case .string(let text) = attributeValue else { return nil }
    self = text
  }
}

extension Date: AttributeConvertible {
  /// A date.
  public func attributeValue(for type: AttributeType) -> AttributeValue { .date(self) }
  /// Dates only.
  public init?(attributeValue: AttributeValue) {
    guard case .date(let date) = attributeValue else { return nil }
    self = date
  }
}

extension Data: AttributeConvertible {
  /// Bytes.
  public func attributeValue(for type: AttributeType) -> AttributeValue { .data(self) }
  /// Bytes only.
  public init?(attributeValue: AttributeValue) {
    guard case .data(let data) = attributeValue else { return nil }
    self = data
  }
}

extension UUID: AttributeConvertible {
  /// A UUID.
  public func attributeValue(for type: AttributeType) -> AttributeValue { .uuid(self) }
  /// UUIDs only.
  public init?(attributeValue: AttributeValue) {
    guard case .uuid(let uuid) = attributeValue else { return nil }
    self = uuid
  }
}

extension URL: AttributeConvertible {
  /// A URI.
  public func attributeValue(for type: AttributeType) -> AttributeValue { .uri(self) }
  /// URIs only.
  public init?(attributeValue: AttributeValue) {
    guard case .uri(let url) = attributeValue else { return nil }
    self = url
  }
}

extension Decimal: AttributeConvertible {
  /// An exact number.
  public func attributeValue(for type: AttributeType) -> AttributeValue { .decimal(self) }
  /// Decimals only.
  public init?(attributeValue: AttributeValue) {
    guard case .decimal(let decimal) = attributeValue else { return nil }
    self = decimal
  }
}
