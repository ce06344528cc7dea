public import Foundation
import ObjectModel

extension PredicateExpressions {
  /// How a text stands to another, whatever their case: `caseInsensitiveCompare(_:)`, for which
  /// Foundation on Linux has no node.
  ///
  /// A store is asked with `==` or `!=` and one of the three results.
  public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// An order.
    public typealias Output = ComparisonResult
    /// The text that is compared.
    public let root: Root
    /// The text it is compared with.
    public let other: Other

    /// Makes a node.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Foundation's answer.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      try root.evaluate(bindings).caseInsensitiveCompare(other.evaluate(bindings))
    }
  }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringCaseInsensitiveCompare: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    throw QueryError(
      .unsupported,
      "StringCaseInsensitiveCompare: an order of two texts can only be compared with one known now, by =="
        + " or !="
    )
  }
}

/// A node that says how two texts stand to each other.
private protocol OrderingNode {
  func condition(_ sign: FetchOperator, _ translator: PredicateTranslator) throws(QueryError)
    -> FetchPredicate
}

extension PredicateExpressions.StringCaseInsensitiveCompare: OrderingNode {
  fileprivate func condition(
    _ sign: FetchOperator, _ translator: PredicateTranslator
  ) throws(QueryError) -> FetchPredicate {
    let left = try translator.expression(root)
    return .comparison(
      FetchComparison(left, sign, try translator.expression(other), options: .caseInsensitive))
  }
}

/// Where the text is missing the condition is false, as SQL's is on null.
extension PredicateExpressions.OptionalFlatMap: OrderingNode {
  fileprivate func condition(
    _ sign: FetchOperator, _ translator: PredicateTranslator
  ) throws(QueryError) -> FetchPredicate {
    guard let ordering = transform as? any OrderingNode else {
      throw QueryError(.unsupported, "OptionalFlatMap has no translation for an order")
    }
    return try ordering.condition(sign, translator.with(variable.key, try translator.part(wrapped)))
  }
}

extension PredicateTranslator {
  /// The condition that an order of two texts is one known now; nil where neither side is such an
  /// order.
  func ordering(_ lhs: Any, _ rhs: Any) throws(QueryError) -> FetchPredicate? {
    for (node, other) in [(lhs, rhs), (rhs, lhs)] {
      guard let output = (node as? any PredicateExpression).map(Self.output),
        output == ComparisonResult.self || output == ComparisonResult?.self,
        let ordering = node as? any OrderingNode
      else { continue }
      switch known(other).flatMap(Self.present) as? ComparisonResult {
      case .orderedAscending?: return try ordering.condition(.less, self)
      case .orderedSame?: return try ordering.condition(.equal, self)
      case .orderedDescending?: return try ordering.condition(.greater, self)
      case nil: continue
      }
    }
    return nil
  }
}
