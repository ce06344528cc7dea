import Foundation

extension PredicateTranslator {
  func function(_ function: FetchFunction, _ nodes: Any...) throws(QueryError) -> PredicatePart {
    var arguments: [FetchExpression] = []
    for node in nodes { arguments.append(try expression(node)) }
    return .expression(.function(function, arguments))
  }
}

extension PredicateExpressions.Arithmetic: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    switch op {
    case .add: return try translator.function(.add, lhs, rhs)
    case .subtract: return try translator.function(.subtract, lhs, rhs)
    case .multiply: return try translator.function(.multiply, lhs, rhs)
    @unknown default: throw QueryError(.unsupported, "Arithmetic has an operator with no translation")
    }
  }
}

extension PredicateExpressions.IntDivision: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    try translator.function(.divide, lhs, rhs)
  }
}

extension PredicateExpressions.IntRemainder: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    try translator.function(.modulus, lhs, rhs)
  }
}

extension PredicateExpressions.FloatDivision: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    try translator.function(.divide, lhs, rhs)
  }
}

extension PredicateExpressions.UnaryMinus: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    try translator.function(.negate, wrapped)
  }
}
