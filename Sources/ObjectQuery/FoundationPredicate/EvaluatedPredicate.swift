public import Foundation
import ObjectModel

extension PredicateExpressions {
  /// What another predicate or expression makes of a value: `evaluate(_:)`, for which Foundation on
  /// Linux has no node that a predicate may hold.
  public struct Evaluated<Input: PredicateExpression, Output>: PredicateExpression {
    /// The value that is asked about.
    public let input: Input
    /// The expression of the predicate that is asked.
    package let asked: any StandardPredicateExpression
    let answer: @Sendable (Input.Output) throws -> Output
    let translate: @Sendable (PredicateTranslator, PredicatePart) throws(QueryError) -> PredicatePart

    /// Asks a predicate.
    public init(_ predicate: Predicate<Input.Output>, _ input: Input) where Output == Bool {
      self.input = input
      asked = predicate.expression
      answer = { try predicate.evaluate($0) }
      translate = { (translator, part) throws(QueryError) in
        .condition(try translator.with(predicate.variable.key, part).condition(predicate.expression))
      }
    }

    /// Asks an expression.
    public init(_ expression: Expression<Input.Output, Output>, _ input: Input) {
      self.input = input
      asked = expression.expression
      answer = { try expression.evaluate($0) }
      translate = { (translator, part) throws(QueryError) in
        try translator.with(expression.variable.key, part).part(expression.expression)
      }
    }

    /// Foundation's answer.
    /// - Throws: what it throws.
    public func evaluate(_ bindings: PredicateBindings) throws -> Output {
      try answer(input.evaluate(bindings))
    }
  }
}

extension PredicateExpressions.Evaluated: Sendable where Input: Sendable {}
extension PredicateExpressions.Evaluated: StandardPredicateExpression
where Input: StandardPredicateExpression {}

extension PredicateExpressions.Evaluated: Codable {
  /// Refuses: what is asked is known to the program alone.
  /// - Throws: `EncodingError`, always.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalidValue(
      self, .init(codingPath: encoder.codingPath, debugDescription: "a predicate inside another has no code"))
  }

  /// Refuses, as `encode(to:)`.
  /// - Throws: `DecodingError`, always.
  public init(from decoder: any Decoder) throws {
    throw DecodingError.dataCorrupted(
      .init(codingPath: decoder.codingPath, debugDescription: "a predicate inside another has no code"))
  }
}

extension PredicateExpressions.Evaluated: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    try translate(translator, try translator.part(input))
  }
}
