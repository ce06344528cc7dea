import Foundation
import ObjectModel

extension PredicateExpressions.Variable: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    guard let part = translator.variables[key] else {
      throw QueryError(.missingVariable, "the predicate uses a variable that is not its own")
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

extension PredicateExpressions.KeyPath: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    if case .cast(let object, let entity, let isSeenTo) = try translator.part(root) {
      return try property(of: object, entity, isSeenTo)
    }
    let start = try translator.expression(root)
    if let kind {
      let isText = Root.Output.self is any StringProtocol.Type
      let count: FetchExpression = isText ? .function(.length, [start]) : .aggregate(.count, start)
      switch kind {
      case .collectionIsEmpty where !isText && Root.Output.self is any StoredCollection.Type:
        guard let stored = Root.Output.self as? any StoredCollection.Type, let empty = stored.storedEmpty
        else {
          return .condition(PredicateTranslator.compare(count, .equal, .value(.integer(0))))
        }
        return .condition(PredicateTranslator.compare(start, .equal, .value(.data(empty))))
      case .collectionCount: return .expression(count)
      case .collectionIsEmpty:
        return .condition(PredicateTranslator.compare(count, .equal, .value(.integer(0))))
      case .collectionFirst where !isText: return .expression(.element(start, .first, []))
      case .bidirectionalCollectionLast where !isText: return .expression(.element(start, .last, []))
      default:
        throw QueryError(.unsupported, "the first and the last character of a text have no translation")
      }
    }
    let root = Root.Output.self
    if root is Date.Type, keyPath as AnyKeyPath == \Date.timeIntervalSinceReferenceDate {
      return .expression(.function(.castToNumber, [start]))
    }
    if let raw = root as? any RawRepresentable.Type, raw.isRawValue(keyPath) { return .expression(start) }
    if root is any Codable.Type, let name = keyPath.storedName {
      return .expression(try start.followed(name, Self.self))
    }
    guard let model = root as? any QueryableModel.Type else {
      throw QueryError(.unsupported, "a key path from \(root) to \(Output.self) has no translation")
    }
    guard let name = model.propertyName(of: keyPath) else {
      throw QueryError(.unknownKey, "there is no property for \(model.unnamed(keyPath))")
    }
    if name.isEmpty { return .expression(start) }
    return .expression(try start.followed(name, Self.self))
  }
}

extension PredicateExpressions.KeyPath {
  /// A property that an object of a subclass has.
  private func property(
    of object: FetchExpression, _ entity: String, _ isSeenTo: Bool
  ) throws(QueryError) -> PredicatePart {
    guard let model = Root.Output.self as? any QueryableModel.Type, kind == nil else {
      throw QueryError(.unsupported, "a key path from \(Root.Output.self) to \(Output.self) has no translation")
    }
    guard let name = model.propertyName(of: keyPath) else {
      throw QueryError(.unknownKey, "there is no property for \(model.unnamed(keyPath))")
    }
    let value =
      name.isEmpty ? object : try object.followed(FetchExpression.step(name, of: entity), Self.self)
    // A collection cannot stand in a choice.
    if isSeenTo || Output.self is any Collection.Type && !(Output.self is any StringProtocol.Type) {
      return .expression(value)
    }
    return .expression(.conditional(.kind(object, entity), value, .value(.null)))
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    try translator.part(inner)
  }
}

extension PredicateExpressions.NilCoalesce: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let value = try translator.expression(lhs)
    let condition = PredicateTranslator.compare(value, .notEqual, .value(.null))
    return .expression(.conditional(condition, value, try translator.expression(rhs)))
  }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    if case .cast(let object, let entity, isSeenTo: false) = try translator.part(wrapped) {
      let result = try translator.with(variable.key, .cast(object, entity: entity, isSeenTo: true)).expression(
        transform)
      return .expression(.conditional(.kind(object, entity), result, .value(.null)))
    }
    let value = try translator.expression(wrapped)
    let result = try translator.with(variable.key, .expression(value)).expression(transform)
    if result.isNull(whereIs: value) { return .expression(result) }
    let condition = PredicateTranslator.compare(value, .notEqual, .value(.null))
    return .expression(.conditional(condition, result, .value(.null)))
  }
}

extension PredicateExpressions.Conditional: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let condition = try translator.condition(test)
    if case .condition(let then) = try translator.part(trueBranch) {
      let otherwise = try translator.condition(falseBranch)
      return .condition(.or([.and([condition, then]), .and([.not(condition), otherwise])]))
    }
    return .expression(
      .conditional(condition, try translator.expression(trueBranch), try translator.expression(falseBranch)))
  }
}

extension PredicateExpressions.DictionaryKeySubscript: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let dictionary = try translator.expression(wrapped)
    guard case .value(.string(let key)) = try translator.expression(key), FetchExpression.isPlainKey(key)
    else {
      throw QueryError(
        .unsupported,
        "DictionaryKeySubscript takes a text known now as its key, without a dot or an @ before it")
    }
    return .expression(try dictionary.followed(key, Self.self))
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let dictionary = try translator.expression(wrapped)
    guard case .value(.string(let key)) = try translator.expression(key), FetchExpression.isPlainKey(key)
    else {
      throw QueryError(
        .unsupported,
        "DictionaryKeyDefaultValueSubscript takes a text known now as its key, without a dot or an @ before it"
      )
    }
    let value = try dictionary.followed(key, Self.self)
    let condition = PredicateTranslator.compare(value, .notEqual, .value(.null))
    return .expression(.conditional(condition, value, try translator.expression(`default`)))
  }
}

/// A collection that may be an attribute's value, kept as JSON.
private protocol StoredCollection {
  /// The bytes of an empty one; nil for models, which are at the other end of a relationship.
  static var storedEmpty: Data? { get }
}

extension Array: StoredCollection {
  fileprivate static var storedEmpty: Data? {
    Element.self is any QueryableModel.Type ? nil : Data("[]".utf8)
  }
}

extension Set: StoredCollection {
  fileprivate static var storedEmpty: Data? {
    Element.self is any QueryableModel.Type ? nil : Data("[]".utf8)
  }
}

extension AnyKeyPath {
  /// The name of the property that a key path of one step reads, which is its key where a value is kept as JSON by a coding that
  /// names no keys of its own; nil for what is no stored property.
  fileprivate var storedName: String? {
    let names = String(describing: self).split(separator: ".", omittingEmptySubsequences: false)
    guard names.count == 2, names[0].hasPrefix("\\"),
      names[1].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
    else { return nil }
    return String(names[1])
  }
}

extension RawRepresentable {
  /// Whether a key path of the type reads the raw value. `\.rawValue` of a type and of the protocol are not equal, so it is
  /// asked of all cases where they are known.
  fileprivate static func isRawValue(_ keyPath: AnyKeyPath) -> Bool {
    guard let path = keyPath as? KeyPath<Self, RawValue> else { return false }
    if path == \Self.rawValue { return true }
    guard let cases = (self as? any CaseIterable.Type)?.every as? [Self], !cases.isEmpty else { return false }
    return cases.allSatisfy { String(describing: $0[keyPath: path]) == String(describing: $0.rawValue) }
  }
}

extension CaseIterable {
  fileprivate static var every: Any { Array(allCases) }
}

extension FetchExpression {
  fileprivate func followed(_ name: String, _ node: Any.Type) throws(QueryError) -> FetchExpression {
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
