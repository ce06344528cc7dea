public import Foundation
import ObjectModel

extension PredicateExpressions {
  /// Whether a text contains another, whatever the case and the marks of letters:
  /// `localizedStandardContains(_:)`, for which Foundation on Linux has no node.
  public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// A boolean.
    public typealias Output = Bool
    /// The text that is looked in.
    public let root: Root
    /// The text to find.
    public let other: Other

    /// Makes a node.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Foundation's answer.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      try root.evaluate(bindings).localizedStandardContains(other.evaluate(bindings))
    }
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable
where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringLocalizedStandardContains: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedStandardContains: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    .condition(
      .comparison(
        FetchComparison(
          try translator.expression(root), .contains, try translator.expression(other),
          options: [.caseInsensitive, .diacriticInsensitive])))
  }
}
