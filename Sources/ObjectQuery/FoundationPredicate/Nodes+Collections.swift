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

  /// The models that a node asks one by one.
  /// - Throws: `QueryError` for a collection of anything else.
  func models(_ node: Any, _ type: Any.Type, _ asker: Any.Type) throws(QueryError) -> FetchExpression {
    let collection = try raw(try part(node), node)
    if isOfModels(type), !collection.isList { return collection }
    throw QueryError(
      .unsupported,
      "\(Self.name(asker)) has no translation for \(type): a store goes into relationships only; ask what"
        + " the value contains"
    )
  }

  /// Whether a to-many, which is never null, is compared with nil.
  func isListBesideNil(_ lhs: any PredicateExpression, _ rhs: any PredicateExpression) -> Bool {
    func isNil(_ node: Any) -> Bool { known(node).map { Self.present($0) == nil } ?? false }
    return isOfModels(Self.output(lhs)) && known(lhs) == nil && isNil(rhs)
      || isOfModels(Self.output(rhs)) && known(rhs) == nil && isNil(lhs)
  }

  /// One condition for each of the elements known now; nil when they are not.
  func each(
    _ node: Any, _ variable: PredicateExpressions.VariableID, _ test: Any
  ) throws(QueryError) -> [FetchPredicate]? {
    guard let known = known(node), let elements = Self.elements(known) else { return nil }
    var conditions: [FetchPredicate] = []
    for element in elements {
      var inner = with(variable, try constant(element))
      inner.elements[variable] = element
      conditions.append(try inner.condition(test))
    }
    return conditions
  }

  /// The elements of a value known now that is a list of some kind; nil for texts and ranges.
  static func elements(_ value: Any) -> [Any]? {
    guard let sequence = present(value) as? any Sequence, !(sequence is any StringProtocol),
      !(sequence is any ConstantRange)
    else { return nil }
    func open<S: Sequence>(_ sequence: S) -> [Any] { sequence.map { $0 as Any } }
    return open(sequence)
  }
}

extension PredicateExpressions.SequenceContains: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    if let known = translator.known(sequence), let elements = PredicateTranslator.elements(known) {
      let part = try translator.part(element)
      var list: [FetchExpression] = []
      for value in elements { list.append(try translator.constant(value, beside: element, part)) }
      return .condition(PredicateTranslator.compare(try translator.raw(part, element), .in, .list(list)))
    }
    let sequence = try translator.part(sequence)
    if case .range(let lower?, let upper?, let isClosed) = sequence {
      return try element(isIn: lower, upper, isClosed, translator)
    }
    try translator.checkForm(self.sequence, by: Self.self)
    let collection = try translator.raw(sequence, self.sequence)
    if isOfModels(LHS.Output.self) {
      let element = try translator.expression(element)
      return .condition(PredicateTranslator.compare(collection, .equal, element, any: true))
    }
    if LHS.Output.self is any StringProtocol.Type {
      return .condition(
        PredicateTranslator.compare(collection, .contains, try translator.expression(element)))
    }
    return .condition(
      PredicateTranslator.compare(collection, .contains, try storedElement(translator)))
  }

  private func element(
    isIn lower: FetchExpression, _ upper: FetchExpression, _ isClosed: Bool, _ translator: PredicateTranslator
  ) throws(QueryError) -> PredicatePart {
    try translator.checkOrder(element, by: Self.self)
    let (value, isJSON) = try translator.element(element)
    let low = isJSON ? try PredicateTranslator.json(lower, Self.self) : lower
    let high = isJSON ? try PredicateTranslator.json(upper, Self.self) : upper
    let above = PredicateTranslator.compare(value, .greaterOrEqual, low)
    return .condition(above && PredicateTranslator.compare(value, isClosed ? .lessOrEqual : .less, high))
  }

  /// The element as it is in a collection that one attribute stores.
  private func storedElement(_ translator: PredicateTranslator) throws(QueryError) -> FetchExpression {
    guard storedCollection(LHS.Output.self) != nil else {
      throw QueryError(.unsupported, "SequenceContains has no translation for \(LHS.Output.self)")
    }
    if let known = translator.known(element) {
      guard let known = PredicateTranslator.present(known) else {
        throw QueryError(.unsupported, "SequenceContains has no translation for nil in an array of values")
      }
      return .value(try translator.json(known))
    }
    let (value, isJSON) = try translator.element(element)
    guard isJSON || PredicateTranslator.isPlain(RHS.Output.self) else {
      throw QueryError(
        .unsupported,
        "SequenceContains: a \(RHS.Output.self) can only be looked for in an array when it is known now")
    }
    return value
  }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    if let parts = try translator.each(sequence, variable.key, test) { return .condition(.or(parts)) }
    let collection = try translator.models(sequence, LHS.Output.self, Self.self)
    return .condition(translator.has(try translator.subquery(collection, variable.key, test)))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    if let parts = try translator.each(sequence, variable.key, test) { return .condition(.and(parts)) }
    let collection = try translator.models(sequence, LHS.Output.self, Self.self)
    return .condition(
      .not(translator.has(try translator.subquery(collection, variable.key, test, not: true))))
  }
}

extension PredicateExpressions.Filter: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let collection = try translator.models(sequence, LHS.Output.self, Self.self)
    return .expression(try translator.subquery(collection, variable.key, filter))
  }
}

extension PredicateExpressions.CollectionIndexSubscript: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let collection = try translator.raw(try translator.part(wrapped), wrapped)
    guard case .value(.integer(let number)) = try translator.expression(index), number >= 0 else {
      throw QueryError(.unsupported, "CollectionIndexSubscript takes a number from 0 that is known now")
    }
    if let stored = storedCollection(Wrapped.Output.self), stored.isArray, !collection.isList {
      return .json(try collection.followed(String(number), Self.self))
    }
    guard isOfModels(Wrapped.Output.self), !collection.isList else {
      throw QueryError(.unsupported, "CollectionIndexSubscript has no translation for \(Wrapped.Output.self)")
    }
    return .expression(.element(collection, .at(Int(number)), []))
  }
}

extension PredicateExpressions.CollectionRangeSubscript: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    throw QueryError(
      .unsupported, "CollectionRangeSubscript has no translation; ask for single elements, or in Swift")
  }
}

extension PredicateTranslator {
  /// The least or the greatest of a collection of values.
  func extreme(_ aggregate: FetchAggregate, _ node: Any, _ type: Any.Type, _ asker: Any.Type)
    throws(QueryError)
    -> PredicatePart
  {
    let collection = try raw(try part(node), node)
    if collection.isList { return .expression(.aggregate(aggregate, collection)) }
    guard storedCollection(type) != nil else {
      throw QueryError(.unsupported, "\(Self.name(asker)) has no translation for \(type)")
    }
    return .json(.aggregate(aggregate, collection))
  }
}

extension PredicateExpressions.SequenceMaximum: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    try translator.extreme(.max, elements, Elements.Output.self, Self.self)
  }
}

extension PredicateExpressions.SequenceMinimum: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    try translator.extreme(.min, elements, Elements.Output.self, Self.self)
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
  var isList: Bool { if case .list = self { true } else { false } }
}
