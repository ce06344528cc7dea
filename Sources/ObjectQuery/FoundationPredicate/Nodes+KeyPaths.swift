import Foundation
import ObjectModel

extension PredicateExpressions.KeyPath: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    let part = try translator.part(root)
    if case .cast(let object, let entity, let isSeenTo) = part, kind == nil {
      return try property(of: object, entity, isSeenTo)
    }
    let start = try translator.raw(part, root)
    if let kind {
      if kind == .collectionCount { return try .expression(count(of: start, translator)) }
      if kind == .collectionIsEmpty { return .condition(try isEmpty(start, isJSON: part.isJSON, translator)) }
      return try end(of: start, isFirst: kind == .collectionFirst)
    }
    let type = Root.Output.self
    // Foundation knows the key paths of arrays, sets and texts only.
    if let collection = type as? any Collection.Type, let isEmpty = collection.asksIsEmpty(keyPath) {
      if isEmpty { return .condition(try self.isEmpty(start, isJSON: part.isJSON, translator)) }
      return try .expression(count(of: start, translator))
    }
    if let name = translator.values.name(of: keyPath, in: type) {
      return .expression(try start.followed(name, Self.self))
    }
    if type is Date.Type, keyPath as AnyKeyPath == \Date.timeIntervalSinceReferenceDate {
      return .expression(part.isJSON ? start : .function(.castToNumber, [start]))
    }
    if let raw = type as? any RawRepresentable.Type, raw.isRawValue(keyPath) { return part.like(start) }
    if let model = type as? any QueryableModel.Type {
      guard let name = model.propertyName(of: keyPath) else {
        throw QueryError(.unknownKey, "KeyPath: there is no property for \(model.unnamed(keyPath))")
      }
      return .expression(name.isEmpty ? start : try start.followed(name, Self.self))
    }
    return .json(try inside(start, translator))
  }

  /// A key path into a Codable value.
  private func inside(
    _ start: FetchExpression, _ translator: PredicateTranslator
  ) throws(QueryError) -> FetchExpression {
    try look(translator)
    if let codable = Root.Output.self as? any Codable.Type {
      let encode = { (value: any Encodable) in
        translator.values.json(value) ?? (try? JSONEncoder().encode(value))
      }
      if let name = CodedKey.of(keyPath, in: codable, encode), FetchExpression.isPlainKey(name) {
        return try start.followed(name, Self.self)
      }
    }
    throw QueryError(
      .unsupported,
      "KeyPath: one from \(Root.Output.self) to \(Output.self) has no translation: its coding keeps no"
        + " value for it alone"
    )
  }

  private var refusal: QueryError {
    QueryError(.unsupported, "KeyPath: one from \(Root.Output.self) to \(Output.self) has no translation")
  }

  /// How many characters, models or values.
  private func count(
    of start: FetchExpression, _ translator: PredicateTranslator
  ) throws(QueryError) -> FetchExpression {
    let type = Root.Output.self
    try translator.checkForm(root, by: Self.self)
    if type is any StringProtocol.Type { return .function(.length, [start]) }
    if isOfModels(type) || start.isList { return .aggregate(.count, start) }
    try look(translator)
    guard storedCollection(type)?.isCounted == true else { throw refusal }
    return .aggregate(.count, start)
  }

  private func isEmpty(
    _ start: FetchExpression, isJSON: Bool, _ translator: PredicateTranslator
  ) throws(QueryError) -> FetchPredicate {
    let type = Root.Output.self
    try translator.checkForm(root, by: Self.self)
    if type is any StringProtocol.Type || isOfModels(type) || start.isList {
      return PredicateTranslator.compare(try count(of: start, translator), .equal, .value(.integer(0)))
    }
    if type == Data.self {
      return PredicateTranslator.compare(start, .equal, .value(isJSON ? .string("") : .data(Data())))
    }
    try look(translator)
    guard let stored = storedCollection(type) else { throw refusal }
    return PredicateTranslator.compare(start, .equal, .value(.data(stored.storedEmpty)))
  }

  /// The first or the last; a store does not know the last element of an array that one attribute
  /// stores.
  private func end(of start: FetchExpression, isFirst: Bool) throws(QueryError) -> PredicatePart {
    if start.isList { throw refusal }
    if isOfModels(Root.Output.self) { return .expression(.element(start, isFirst ? .first : .last, [])) }
    guard isFirst, storedCollection(Root.Output.self)?.isArray == true else { throw refusal }
    return .json(try start.followed("0", Self.self))
  }

  /// Refuses to look into a value that is not stored as JSON.
  private func look(_ translator: PredicateTranslator) throws(QueryError) {
    guard let (owner, path) = (root as? any PropertyNode)?.property,
      !translator.values.isJSON(path, of: owner)
    else { return }
    throw QueryError(
      .unsupported, "KeyPath: no condition can look into the stored form of a \(Root.Output.self)")
  }

  /// A property that an object of a subclass has.
  private func property(
    of object: FetchExpression, _ entity: String, _ isSeenTo: Bool
  ) throws(QueryError) -> PredicatePart {
    guard let model = Root.Output.self as? any QueryableModel.Type else {
      throw QueryError(
        .unsupported, "KeyPath: one from \(Root.Output.self) to \(Output.self) has no translation")
    }
    guard let name = model.propertyName(of: keyPath) else {
      throw QueryError(.unknownKey, "KeyPath: there is no property for \(model.unnamed(keyPath))")
    }
    let value =
      name.isEmpty ? object : try object.followed(FetchExpression.step(name, of: entity), Self.self)
    // A relationship to several cannot stand in a choice.
    if isSeenTo || isOfModels(Output.self) { return .expression(value) }
    return .expression(.conditional(.kind(object, entity), value, .value(.null)))
  }
}

extension PredicatePart {
  fileprivate var isJSON: Bool { if case .json = self { true } else { false } }
}

extension Collection {
  /// Whether a key path asks for `isEmpty`, true, or for `count`, false; nil when it reads
  /// something else.
  fileprivate static func asksIsEmpty(_ keyPath: AnyKeyPath) -> Bool? {
    if let known = self as? any CountedCollection.Type {
      return keyPath == known.isEmptyPath ? true : keyPath == known.countPath ? false : nil
    }
    return nil
  }
}

/// Key paths of one name are equal only where they begin at the type itself and not at a protocol.
private protocol CountedCollection {
  static var isEmptyPath: AnyKeyPath { get }
  static var countPath: AnyKeyPath { get }
}

extension Dictionary: CountedCollection {
  fileprivate static var isEmptyPath: AnyKeyPath { \[Key: Value].isEmpty }
  fileprivate static var countPath: AnyKeyPath { \[Key: Value].count }
}

extension Data: CountedCollection {
  fileprivate static var isEmptyPath: AnyKeyPath { \Data.isEmpty }
  fileprivate static var countPath: AnyKeyPath { \Data.count }
}

extension AnyKeyPath {
  /// The name of the stored property that a key path of one step reads; nil for a key path of no
  /// stored property.
  fileprivate var storedName: String? {
    let names = String(describing: self).split(separator: ".", omittingEmptySubsequences: false)
    guard names.count == 2, names[0].hasPrefix("\\"),
      names[1].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
    else { return nil }
    return String(names[1])
  }
}

extension RawRepresentable {
  /// Whether a key path of the type reads the raw value.
  ///
  /// `\.rawValue` of a type and of the protocol are not equal, so it is asked of all cases; of a
  /// structure it is a stored property.
  fileprivate static func isRawValue(_ keyPath: AnyKeyPath) -> Bool {
    guard let path = keyPath as? KeyPath<Self, RawValue> else { return false }
    if path == \Self.rawValue || path.storedName == "rawValue" { return true }
    guard let cases = EnumerationCases.all(Self.self), !cases.isEmpty else { return false }
    return cases.allSatisfy { String(describing: $0[keyPath: path]) == String(describing: $0.rawValue) }
  }
}
