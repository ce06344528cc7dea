package import Foundation
package import ObjectModel

/// Comparison of values by meaning, the same as SQL's over the stored columns.
package enum ValueOrder {
  /// -1, 0 or 1; nil when the two are not comparable, null included.
  package static func compare(_ left: AttributeValue, _ right: AttributeValue) -> Int? {
    switch (left, right) {
    case (.string(let a), .string(let b)): return order(a.unicodeScalars, b.unicodeScalars)
    case (.date(let a), .date(let b)):
      let (a, b) = (a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate)
      return a.isNaN || b.isNaN ? nil : order(a, b)
    case (.data(let a), .data(let b)): return bytes(a, b)
    case (.uuid(let a), .uuid(let b)):
      return withUnsafeBytes(of: a.uuid) { a in withUnsafeBytes(of: b.uuid) { b in bytes(a, b) } }
    case (.uri(let a), .uri(let b)):
      return order(a.absoluteString.unicodeScalars, b.absoluteString.unicodeScalars)
    case (.reference(let a), .reference(let b)): return order(a, b)
    case (.composite(let a), .composite(let b)): return a == b ? 0 : nil
    default: return numbers(left, right)
    }
  }

  /// As `compare`; values that are not comparable are in the order of their kinds.
  ///
  /// So the smallest of some values, and their order, does not depend on the order they come in.
  package static func order(_ left: AttributeValue, _ right: AttributeValue) -> Int {
    if let order = compare(left, right) { return order }
    if case .composite(let a) = left, case .composite(let b) = right { return members(a, b) }
    return order(rank(left), rank(right))
  }

  /// Null first, then numbers, then what is no number, as SQLite orders storage classes where it
  /// has them (https://www.sqlite.org/datatype3.html#sort_order).
  private static func rank(_ value: AttributeValue) -> Int {
    switch value {
    case .null: 0
    case .double(let double) where double.isNaN: 1
    case .decimal(let decimal) where decimal.isNaN: 1
    case .boolean, .integer, .double, .decimal: 2
    case .date(let date): date.timeIntervalSinceReferenceDate.isNaN ? 3 : 4
    case .string: 5
    case .uri: 6
    case .uuid: 7
    case .data: 8
    case .composite: 9
    case .reference: 10
    }
  }

  /// By the names of the members, then by their values in the order of the names.
  private static func members(_ left: [String: AttributeValue], _ right: [String: AttributeValue]) -> Int {
    let (a, b) = (left.keys.sorted(), right.keys.sorted())
    if a != b { return a.lexicographicallyPrecedes(b) ? -1 : 1 }
    return a.lazy.map { order(left[$0] ?? .null, right[$0] ?? .null) }.first { $0 != 0 } ?? 0
  }

  private static func numbers(_ left: AttributeValue, _ right: AttributeValue) -> Int? {
    if case .decimal(let a) = left { return compare(a, right) }
    if case .decimal(let b) = right { return compare(b, left).map { -$0 } }
    switch (number(left), number(right)) {
    case (.integer(let a)?, .integer(let b)?): return order(a, b)
    case (.double(let a)?, .double(let b)?): return a.isNaN || b.isNaN ? nil : order(a, b)
    case (.integer(let a)?, .double(let b)?): return compare(a, b)
    case (.double(let a)?, .integer(let b)?): return compare(b, a).map { -$0 }
    default: return nil
    }
  }

  private static func compare(_ decimal: Decimal, _ value: AttributeValue) -> Int? {
    if let number = self.decimal(value) { return order(decimal, number) }
    guard case .double(let double) = value, !double.isNaN, !decimal.isNaN else { return nil }
    // Beyond what a decimal holds: larger than each of them, or nearer to zero.
    if abs(double) >= 1 { return double > 0 ? -1 : 1 }
    return decimal.isZero ? (double > 0 ? -1 : 1) : decimal.isSignMinus ? -1 : 1
  }

  private enum Number { case integer(Int64), double(Double) }

  private static func number(_ value: AttributeValue) -> Number? {
    switch value {
    case .integer(let integer): .integer(integer)
    case .boolean(let flag): .integer(flag ? 1 : 0)
    case .double(let double): .double(double)
    default: nil
    }
  }

  package static func decimal(_ value: AttributeValue) -> Decimal? {
    switch value {
    case .decimal(let decimal): decimal
    case .integer(let integer): Decimal(integer)
    case .boolean(let flag): flag ? 1 : 0
    case .double(let double): double.isFinite ? Decimal(string: "\(double)", locale: nil) : nil
    default: nil
    }
  }

  /// Exact: the integer is not rounded to the nearest double.
  private static func compare(_ integer: Int64, _ double: Double) -> Int? {
    if double.isNaN { return nil }
    if double >= 0x1p63 { return -1 }
    if double < -0x1p63 { return 1 }
    let whole = Int64(double.rounded(.towardZero))
    if integer != whole { return order(integer, whole) }
    let rest = double - double.rounded(.towardZero)
    return rest > 0 ? -1 : rest < 0 ? 1 : 0
  }

  private static func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a == b ? 0 : 1 }

  private static func order(_ a: String.UnicodeScalarView, _ b: String.UnicodeScalarView) -> Int {
    if a.elementsEqual(b) { return 0 }
    return a.lexicographicallyPrecedes(b) ? -1 : 1
  }

  private static func bytes(_ a: some Sequence<UInt8>, _ b: some Sequence<UInt8>) -> Int {
    if a.elementsEqual(b) { return 0 }
    return a.lexicographicallyPrecedes(b) ? -1 : 1
  }

  /// Null equals null and nothing else.
  package static func equal(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
    if left.isNull || right.isNull { return left.isNull && right.isNull }
    return compare(left, right) == 0
  }
}
