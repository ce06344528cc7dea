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
    if let ordering = try translator.ordering(lhs, rhs) { return .condition(ordering) }
    if translator.isListBesideNil(lhs, rhs) { return .condition(.constant(false)) }
    let (left, right) = try translator.sides(lhs, rhs)
    return .condition(PredicateTranslator.compare(left, .equal, right))
  }
}

extension PredicateExpressions.NotEqual: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    if let ordering = try translator.ordering(lhs, rhs) { return .condition(.not(ordering)) }
    if translator.isListBesideNil(lhs, rhs) { return .condition(.constant(true)) }
    let (left, right) = try translator.sides(lhs, rhs)
    return .condition(PredicateTranslator.compare(left, .notEqual, right))
  }
}

extension PredicateExpressions.Comparison: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    try translator.checkOrder(lhs, rhs, by: Self.self)
    let (left, right) = try translator.sides(lhs, rhs)
    guard let sign = op.sign else {
      throw QueryError(.unsupported, "Comparison has an operator with no translation")
    }
    return .condition(PredicateTranslator.compare(left, sign, right))
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
    try translator.checkOrder(element, by: Self.self)
    let (value, isJSON) = try translator.element(element)
    func bound(_ bound: FetchExpression) throws(QueryError) -> FetchExpression {
      isJSON ? try PredicateTranslator.json(bound, Self.self) : bound
    }
    var parts: [FetchPredicate] = []
    if let lower { parts.append(PredicateTranslator.compare(value, .greaterOrEqual, try bound(lower))) }
    if let upper {
      parts.append(PredicateTranslator.compare(value, isClosed ? .lessOrEqual : .less, try bound(upper)))
    }
    return .condition(.and(parts))
  }
}
