public import Foundation
import ObjectModel

/// A number, or one that may be missing.
public protocol NumberProperty {}
extension Int: NumberProperty {}
extension Int16: NumberProperty {}
extension Int32: NumberProperty {}
extension Int64: NumberProperty {}
extension Double: NumberProperty {}
extension Float: NumberProperty {}
extension Decimal: NumberProperty {}
extension Optional: NumberProperty where Wrapped: NumberProperty {}

extension TypedExpression where Value: NumberProperty {
  private static func make(
    _ function: FetchFunction, _ left: Self, _ right: FetchExpression
  ) -> Self {
    Self(.function(function, [left.expression, right]))
  }

  /// The sum; see `FetchFunction` for overflow and null.
  public static func + (left: Self, right: Value) -> Self where Value: FetchArgument {
    make(.add, left, right.fetchExpression)
  }

  /// The difference.
  public static func - (left: Self, right: Value) -> Self where Value: FetchArgument {
    make(.subtract, left, right.fetchExpression)
  }

  /// The product.
  public static func * (left: Self, right: Value) -> Self where Value: FetchArgument {
    make(.multiply, left, right.fetchExpression)
  }

  /// The quotient; whole for whole numbers.
  public static func / (left: Self, right: Value) -> Self where Value: FetchArgument {
    make(.divide, left, right.fetchExpression)
  }

  /// The rest of a whole division.
  public static func % (left: Self, right: Value) -> Self where Value: FetchArgument {
    make(.modulus, left, right.fetchExpression)
  }

  /// The sum.
  public static func + (left: Self, right: Self) -> Self { make(.add, left, right.expression) }
  /// The difference.
  public static func - (left: Self, right: Self) -> Self { make(.subtract, left, right.expression) }
  /// The product.
  public static func * (left: Self, right: Self) -> Self { make(.multiply, left, right.expression) }
  /// The quotient.
  public static func / (left: Self, right: Self) -> Self { make(.divide, left, right.expression) }

  /// The number without its sign.
  public var magnitude: Self { Self(.function(.abs, [expression])) }
}
