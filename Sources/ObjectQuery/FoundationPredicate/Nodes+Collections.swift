import Foundation
import ObjectModel

extension PredicateTranslator {
  /// The elements of a collection that meet a condition.
  func subquery(
    _ collection: FetchExpression, _ variable: PredicateExpressions.VariableID, _ test: Any, not: Bool = false
  ) throws(QueryError) -> FetchExpression {
    let name = "element\(depth + 1)"
    var inner = with(variable, .expression(.variable(name)))
    inner.depth += 1
    let condition = try inner.condition(test)
    let whole = not ? FetchPredicate.not(condition) : condition
    // Those of those that met another condition already.
    if case .subquery(var outer) = collection, outer.keyPath.isEmpty {
      let renamed = outer.predicate.substituting {
        guard $0 == outer.variable || $0.hasPrefix(outer.variable + ".") else { return nil }
        return .variable(name + $0.dropFirst(outer.variable.count))
      }
      outer.variable = name
      outer.predicate = renamed && whole
      return .subquery(outer)
    }
    return .subquery(FetchSubquery(collection, name, where: whole))
  }

  func has(_ collection: FetchExpression) -> FetchPredicate {
    Self.compare(.aggregate(.count, collection), .greater, .value(.integer(0)))
  }

  /// One condition for each of the elements known now; nil when they are not.
  func each(
    _ collection: FetchExpression, _ variable: PredicateExpressions.VariableID, _ test: Any
  ) throws(QueryError) -> [FetchPredicate]? {
    guard case .list(let elements) = collection else { return nil }
    var conditions: [FetchPredicate] = []
    for element in elements { conditions.append(try with(variable, .expression(element)).condition(test)) }
    return conditions
  }
}

extension PredicateExpressions.SequenceContains: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let element = try translator.expression(element)
    switch try translator.part(sequence) {
    case .range(let lower?, let upper?, let isClosed):
      let low = PredicateTranslator.compare(element, .greaterOrEqual, lower)
      return .condition(low && PredicateTranslator.compare(element, isClosed ? .lessOrEqual : .less, upper))
    case .expression(let list) where list.isList:
      return .condition(PredicateTranslator.compare(element, .in, list))
    case .expression(let collection):
      if LHS.Output.Element.self is any QueryableModel.Type {
        return .condition(PredicateTranslator.compare(collection, .equal, element, any: true))
      }
      return .condition(PredicateTranslator.compare(collection, .contains, element))
    default: throw QueryError(.unsupported, "SequenceContains has no translation for this sequence")
    }
  }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let collection = try translator.expression(sequence)
    if let parts = try translator.each(collection, variable.key, test) { return .condition(.or(parts)) }
    return .condition(translator.has(try translator.subquery(collection, variable.key, test)))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let collection = try translator.expression(sequence)
    if let parts = try translator.each(collection, variable.key, test) { return .condition(.and(parts)) }
    return .condition(
      .not(translator.has(try translator.subquery(collection, variable.key, test, not: true))))
  }
}

extension PredicateExpressions.Filter: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let collection = try translator.expression(sequence)
    guard !collection.isList else {
      throw QueryError(.unsupported, "Filter has no translation for a list of values")
    }
    return .expression(try translator.subquery(collection, variable.key, filter))
  }
}

extension PredicateExpressions.CollectionIndexSubscript: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let collection = try translator.expression(wrapped)
    guard case .value(.integer(let number)) = try translator.expression(index), number >= 0 else {
      throw QueryError(.unsupported, "CollectionIndexSubscript takes a number from 0 that is known now")
    }
    return .expression(.element(collection, .at(Int(number)), []))
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    guard Base.Output.self is any StringProtocol.Type else {
      throw QueryError(.unsupported, "SequenceStartsWith has a translation for texts only")
    }
    let base = try translator.expression(base)
    return .condition(PredicateTranslator.compare(base, .beginsWith, try translator.expression(prefix)))
  }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    guard Base.Output.self is any StringProtocol.Type else {
      throw QueryError(.unsupported, "CollectionContainsCollection has a translation for texts only")
    }
    let base = try translator.expression(base)
    return .condition(PredicateTranslator.compare(base, .contains, try translator.expression(other)))
  }
}

extension PredicateExpressions.StringContainsRegex: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    guard let value = regex as? PredicateExpressions.Value<PredicateExpressions.PredicateRegex> else {
      throw QueryError(.unsupported, "StringContainsRegex takes an expression known now")
    }
    let pattern = "(?s:.*)(?:\(value.value.stringRepresentation))(?s:.*)"
    return .condition(
      PredicateTranslator.compare(try translator.expression(subject), .matches, .value(.string(pattern))))
  }
}

extension FetchExpression {
  fileprivate var isList: Bool { if case .list = self { true } else { false } }
}
