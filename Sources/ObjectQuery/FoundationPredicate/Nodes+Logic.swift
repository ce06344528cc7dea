import Foundation
import ObjectModel

extension PredicateExpressions.Conjunction: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let left = try translator.condition(lhs)
    return .condition(left && (try translator.condition(rhs)))
  }
}

extension PredicateExpressions.Disjunction: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let left = try translator.condition(lhs)
    return .condition(left || (try translator.condition(rhs)))
  }
}

extension PredicateExpressions.Negation: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    .condition(.not(try translator.condition(wrapped)))
  }
}

extension PredicateExpressions.Equal: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let left = try translator.expression(lhs)
    return .condition(PredicateTranslator.compare(left, .equal, try translator.expression(rhs)))
  }
}

extension PredicateExpressions.NotEqual: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let left = try translator.expression(lhs)
    return .condition(PredicateTranslator.compare(left, .notEqual, try translator.expression(rhs)))
  }
}

extension PredicateExpressions.Comparison: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let left = try translator.expression(lhs)
    let sign: FetchOperator =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw QueryError(.unsupported, "Comparison has an operator with no translation")
      }
    return .condition(PredicateTranslator.compare(left, sign, try translator.expression(rhs)))
  }
}

extension PredicateExpressions.Range: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let lower = try translator.expression(lower)
    return .range(lower: lower, upper: try translator.expression(upper), isClosed: false)
  }
}

extension PredicateExpressions.ClosedRange: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let lower = try translator.expression(lower)
    return .range(lower: lower, upper: try translator.expression(upper), isClosed: true)
  }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    guard case .range(let lower, let upper, let isClosed) = try translator.part(range) else {
      throw QueryError(.unsupported, "RangeExpressionContains has no translation for this range")
    }
    let value = try translator.expression(element)
    var parts: [FetchPredicate] = []
    if let lower { parts.append(PredicateTranslator.compare(value, .greaterOrEqual, lower)) }
    if let upper { parts.append(PredicateTranslator.compare(value, isClosed ? .lessOrEqual : .less, upper)) }
    return .condition(.and(parts))
  }
}
