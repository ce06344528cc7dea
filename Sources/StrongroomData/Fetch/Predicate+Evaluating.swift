public import Foundation
public import ObjectQuery

extension Predicate {
  /// As `evaluate(_:)`, for use inside a `#Predicate` of values that are no models, where Foundation's macro
  /// on Linux does not take that: `#Predicate<Row> { row in isLong[row] && row.name != "" }`.
  ///
  /// A fetch answers both in its one statement.
  /// - Throws: what evaluating throws.
  public subscript(_ input: repeat each Input) -> Bool { get throws { try evaluate(repeat each input) } }
}

extension Expression {
  /// As `evaluate(_:)`, for use inside a `#Predicate` of values that are no models, where Foundation's macro
  /// on Linux does not take that: `#Predicate<Row> { row in plannedCount[row.stops] > 0 }`.
  ///
  /// A fetch answers both in its one statement.
  /// - Throws: what evaluating throws.
  public subscript(_ input: repeat each Input) -> Output {
    get throws { try evaluate(repeat each input) }
  }
}

extension PredicateExpressions {
  /// What `#Predicate` calls for a predicate that is asked inside it.
  public static func build_subscript<Input: PredicateExpression>(
    _ asked: Value<Predicate<Input.Output>>, _ input: Input
  ) -> Evaluated<Input, Bool> { Evaluated(asked.value, input) }

  /// What `#Predicate` calls for an expression that is asked inside it.
  public static func build_subscript<Input: PredicateExpression, Output>(
    _ asked: Value<Expression<Input.Output, Output>>, _ input: Input
  ) -> Evaluated<Input, Output> { Evaluated(asked.value, input) }
}
