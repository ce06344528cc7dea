public import Foundation
public import ObjectModel

/// What can stand for a `%@` of format text.
public protocol FetchArgument {
  /// The argument as an expression.
  var fetchExpression: FetchExpression { get }
}

extension FetchExpression: FetchArgument {
  /// Itself.
  public var fetchExpression: FetchExpression { self }
}

extension AttributeValue: FetchArgument {
  /// The value.
  public var fetchExpression: FetchExpression { .value(self) }
}

extension String: FetchArgument {
  /// The text.
  public var fetchExpression: FetchExpression { .value(.string(self)) }
}

extension Bool: FetchArgument {
  /// The boolean.
  public var fetchExpression: FetchExpression { .value(.boolean(self)) }
}

extension Int: FetchArgument {
  /// The number.
  public var fetchExpression: FetchExpression { .value(.integer(Int64(self))) }
}

extension Int8: FetchArgument {
  /// The number.
  public var fetchExpression: FetchExpression { .value(.integer(Int64(self))) }
}

extension Int16: FetchArgument {
  /// The number.
  public var fetchExpression: FetchExpression { .value(.integer(Int64(self))) }
}

extension UInt8: FetchArgument {
  /// The number.
  public var fetchExpression: FetchExpression { .value(.integer(Int64(self))) }
}

extension UInt16: FetchArgument {
  /// The number.
  public var fetchExpression: FetchExpression { .value(.integer(Int64(self))) }
}

extension UInt32: FetchArgument {
  /// The number.
  public var fetchExpression: FetchExpression { .value(.integer(Int64(self))) }
}

extension Int32: FetchArgument {
  /// The number.
  public var fetchExpression: FetchExpression { .value(.integer(Int64(self))) }
}

extension Int64: FetchArgument {
  /// The number.
  public var fetchExpression: FetchExpression { .value(.integer(self)) }
}

extension FetchArgument where Self: BinaryInteger {
  /// The number; a decimal where it is above `Int64.max`, as such numbers are stored.
  public var fetchExpression: FetchExpression {
    .value(Int64(exactly: self).map(AttributeValue.integer) ?? .decimal(Decimal(string: "\(self)") ?? .nan))
  }
}

extension UInt: FetchArgument {}
extension UInt64: FetchArgument {}

extension Substring: FetchArgument {
  /// The text.
  public var fetchExpression: FetchExpression { .value(.string(String(self))) }
}

extension Character: FetchArgument {
  /// The text of one character.
  public var fetchExpression: FetchExpression { .value(.string(String(self))) }
}

extension Double: FetchArgument {
  /// The number.
  public var fetchExpression: FetchExpression { .value(.double(self)) }
}

extension Float: FetchArgument {
  /// The number.
  public var fetchExpression: FetchExpression { .value(.double(Double(self))) }
}

extension CGFloat: FetchArgument {
  /// The number.
  public var fetchExpression: FetchExpression { .value(.double(Double(self))) }
}

extension Decimal: FetchArgument {
  /// The number.
  public var fetchExpression: FetchExpression { .value(.decimal(self)) }
}

extension Date: FetchArgument {
  /// The date.
  public var fetchExpression: FetchExpression { .value(.date(self)) }
}

extension Data: FetchArgument {
  /// The bytes.
  public var fetchExpression: FetchExpression { .value(.data(self)) }
}

extension UUID: FetchArgument {
  /// The UUID.
  public var fetchExpression: FetchExpression { .value(.uuid(self)) }
}

extension URL: FetchArgument {
  /// The URI.
  public var fetchExpression: FetchExpression { .value(.uri(self)) }
}

extension Array: FetchArgument where Element: FetchArgument {
  /// A list, for IN and BETWEEN.
  public var fetchExpression: FetchExpression { .list(map(\.fetchExpression)) }
}

extension Set: FetchArgument where Element: FetchArgument {
  /// A list, for IN.
  public var fetchExpression: FetchExpression { .list(map(\.fetchExpression)) }
}
