import Foundation
import ObjectModel

extension PredicateExpressions.Variable: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    guard let part = translator.variables[key] else {
      throw QueryError(.missingVariable, "Variable: the predicate uses one that is not its own")
    }
    return part
  }
}

extension PredicateExpressions.Value: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    try translator.constant(value)
  }
}

extension PredicateExpressions.NilLiteral: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    .expression(.value(.null))
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    try translator.part(inner)
  }
}

extension PredicateExpressions.NilCoalesce: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let part = try translator.part(lhs)
    // A to-many is never null.
    if isOfModels(LHS.Output.self) { return part }
    let (value, other) = try translator.sides(lhs, rhs)
    let condition = PredicateTranslator.compare(value, .notEqual, .value(.null))
    return part.like(.conditional(condition, value, other))
  }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let part = try translator.part(wrapped)
    if case .cast(let object, let entity, isSeenTo: false) = part {
      let inner = translator.with(variable.key, .cast(object, entity: entity, isSeenTo: true))
      return try guarded(try inner.part(transform), .kind(object, entity), inner)
    }
    if case .within(let collection, let condition) = part {
      let inner = translator.with(variable.key, .expression(collection))
      return try guarded(try inner.part(transform), condition, inner)
    }
    let value = try translator.raw(part, wrapped)
    let inner = translator.with(variable.key, part.like(value))
    let result = try inner.part(transform)
    // A to-many is never null.
    if isOfModels(LHS.Output.self) { return result }
    let expression = try inner.raw(result, transform)
    if expression.isNull(whereIs: value) { return result }
    let condition = PredicateTranslator.compare(value, .notEqual, .value(.null))
    return result.like(.conditional(condition, expression, .value(.null)))
  }
}

extension PredicateExpressions.OptionalFlatMap {
  /// A result where a condition holds, and null elsewhere.
  private func guarded(
    _ result: PredicatePart, _ condition: FetchPredicate, _ translator: PredicateTranslator
  ) throws(QueryError) -> PredicatePart {
    let value = try translator.raw(result, transform)
    if isOfModels(RHS.Output.self) { return .within(value, condition) }
    return result.like(.conditional(condition, value, .value(.null)))
  }
}

extension PredicateExpressions.Conditional: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let condition = try translator.condition(test)
    let part = try translator.part(trueBranch)
    if case .condition(let then) = part {
      let otherwise = try translator.condition(falseBranch)
      return .condition(.or([.and([condition, then]), .and([.not(condition), otherwise])]))
    }
    let (then, otherwise) = try translator.sides(trueBranch, falseBranch)
    if case .json = part { return .json(.conditional(condition, then, otherwise)) }
    return try translator.part(falseBranch).like(.conditional(condition, then, otherwise))
  }
}

extension PredicatePart {
  /// Another value in the same form.
  func like(_ expression: FetchExpression) -> PredicatePart {
    if case .json = self { .json(expression) } else { .expression(expression) }
  }
}

extension PredicateTranslator {
  /// What stands under a key of a dictionary.
  func entry<Key>(_ wrapped: Any, _ key: Any, _ type: Key.Type, _ node: Any.Type) throws(QueryError)
    -> FetchExpression
  {
    let dictionary = try raw(try part(wrapped), wrapped)
    guard type == String.self || type is any CodingKeyRepresentable.Type,
      case .value(.string(let key)) = try expression(key), FetchExpression.isPlainKey(key)
    else {
      throw QueryError(
        .unsupported,
        "\(Self.name(node)) takes a text known now as its key, without a dot or an @ before it")
    }
    return try dictionary.followed(key, node)
  }
}

extension PredicateExpressions.DictionaryKeySubscript: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    .json(try translator.entry(wrapped, key, Key.Output.self, Self.self))
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let value = try translator.entry(wrapped, key, Key.Output.self, Self.self)
    let condition = PredicateTranslator.compare(value, .notEqual, .value(.null))
    let other: FetchExpression
    if let known = translator.known(`default`) {
      other = try translator.constant(known, beside: self, .json(value))
    } else {
      other = try translator.expression(`default`)
    }
    return .json(.conditional(condition, value, other))
  }
}

extension FetchExpression {
  func followed(_ name: String, _ node: Any.Type) throws(QueryError) -> FetchExpression {
    if let result = following(name) { return result }
    throw QueryError(
      .unsupported, "\(PredicateTranslator.name(node)) has no translation for what is no object of the store")
  }

  /// Whether the expression is null wherever the object or value of another one is.
  fileprivate func isNull(whereIs other: FetchExpression) -> Bool {
    if self == other { return true }
    switch (self, other) {
    case (.keyPath(let names), .keyPath(let start)):
      return names.starts(with: start) && !names.contains { $0.hasPrefix("@") }
    case (.variable(let name), .variable(let start)): return name.hasPrefix(start + ".")
    case (.element(let a, let place, let names), .element(let b, let start, let first)):
      return a == b && place == start && names.starts(with: first)
    case (.function(_, let arguments), _): return arguments.contains { $0.isNull(whereIs: other) }
    default: return false
    }
  }
}
