public import Foundation
import ObjectModel

extension FetchPredicate {
  /// The condition that Foundation's `#Predicate` states, node by node.
  ///
  /// What differs from a run of the predicate in Swift: `!` on null does not trap, the comparison
  /// is false; whole numbers that overflow become floating; `localizedStandardContains` and its
  /// like do not exist on Linux.
  /// - Throws: `QueryError` with code `unsupported` that names the node which has no translation,
  ///   `unknownKey` for a key path that names no property.
  public init<Model: QueryableModel>(_ predicate: Predicate<Model>) throws(QueryError) {
    try self.init(predicate, encode: nil)
  }

  /// The predicate over models whose Codable values are stored as bytes.
  ///
  /// - `encode`: Makes the bytes of a value, which are equal where the values are; nil to refuse
  ///   such values.
  package init<Model: QueryableModel>(
    _ predicate: Predicate<Model>, encode: ((any Encodable) -> Data?)?
  ) throws(QueryError) {
    try self.init(predicate, values: EncodedValues(encode: encode))
  }

  /// The predicate over any type whose properties have names.
  ///
  /// - `values`: Knows the names and how values are stored.
  package init<Root>(_ predicate: Predicate<Root>, values: any PredicateValues) throws(QueryError) {
    self = try TranslationCache.shared.predicate(predicate, values: values) { () throws(QueryError) in
      let translator = PredicateTranslator(
        variables: [predicate.variable.key: .expression(.selfObject)], values: values)
      return try translator.condition(predicate.expression)
    }
  }
}

/// What a node of a Foundation predicate means here.
enum PredicatePart {
  /// A value.
  case expression(FetchExpression)
  /// A value out of JSON, in which a date is a number and a UUID a text.
  case json(FetchExpression)
  /// A condition.
  case condition(FetchPredicate)
  /// An object cast to an entity. Null where the object is of another entity; `isSeenTo` says that
  /// this is handled already.
  case cast(FetchExpression, entity: String, isSeenTo: Bool)
  /// The destinations of a to-many; empty where a condition is false.
  case within(FetchExpression, FetchPredicate)
  /// From a lower bound to an upper one, either of which may be open.
  case range(lower: FetchExpression?, upper: FetchExpression?, isClosed: Bool)
}

/// A node that has a translation.
protocol TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart
}

/// Translates nodes, with the variables that are in scope.
struct PredicateTranslator {
  var variables: [PredicateExpressions.VariableID: PredicatePart]
  /// The number of enclosing collections, which makes the element names differ.
  var depth = 0
  /// Which values known now variables stand for.
  var elements: [PredicateExpressions.VariableID: Any] = [:]
  let values: any PredicateValues

  func part(_ node: Any) throws(QueryError) -> PredicatePart {
    if let computed = Self.computed(node) { return try constant(computed) }
    guard let node = node as? any TranslatableNode else {
      throw QueryError(
        .unsupported, "\(Self.name(type(of: node))) has no translation; write the condition another way")
    }
    return try node.translated(self)
  }

  /// A value.
  ///
  /// A condition becomes true or false.
  func expression(_ node: Any) throws(QueryError) -> FetchExpression {
    try checkForm(node, by: type(of: node))
    return try expression(try part(node), of: node)
  }

  /// - Throws: `QueryError` for a transformable property, whose bytes a store cannot look into.
  func checkForm(_ node: Any, by asker: Any.Type) throws(QueryError) {
    guard let (owner, path) = (node as? any PropertyNode)?.property, values.isTransformed(path, of: owner)
    else {
      return
    }
    throw QueryError(
      .unsupported,
      "\(Self.name(asker)): no condition can look into what a transformer makes of a \(owner)'s property")
  }

  /// - Throws: `QueryError` for a property that is stored as bytes, which can be equal but not
  ///   ordered.
  func checkOrder(_ nodes: Any..., by asker: Any.Type) throws(QueryError) {
    for node in nodes {
      guard let (owner, path) = (node as? any PropertyNode)?.property, !values.isOrdered(path, of: owner)
      else { continue }
      throw QueryError(
        .unsupported,
        "\(Self.name(asker)): a \(owner)'s property is stored as bytes, which have no order; compare it"
          + " with ==, or keep what"
          + " is to be compared in a property of its own")
    }
  }

  func expression(_ part: PredicatePart, of node: Any) throws(QueryError) -> FetchExpression {
    switch part {
    case .expression(let expression), .cast(let expression, _, isSeenTo: true): return expression
    case .cast(let object, let entity, isSeenTo: false):
      return .conditional(.kind(object, entity), object, .value(.null))
    case .condition(let condition): return .conditional(condition, .value(true), .value(false))
    case .json(let expression):
      if let type = (node as? any PredicateExpression).map(Self.output), !Self.isPlain(type) {
        throw QueryError(
          .unsupported,
          "\(Self.name(Swift.type(of: node))): a \(type) inside a value can only be compared with one known"
            + " now"
        )
      }
      return expression
    case .within:
      throw QueryError(
        .unsupported,
        "\(Self.name(type(of: node))): a subclass's to-many relationship stands where a value is expected")
    case .range:
      throw QueryError(
        .unsupported,
        "\(Self.name(type(of: node))): a range stands where a value is expected; ask with contains")
    }
  }

  /// A condition.
  ///
  /// A value is one when it is true.
  func condition(_ node: Any) throws(QueryError) -> FetchPredicate {
    let part = try part(node)
    if case .condition(let condition) = part { return condition }
    switch try expression(part, of: node) {
    case .conditional(let condition, .value(.boolean(true)), .value(.boolean(false))): return condition
    case .value(.boolean(let flag)): return .constant(flag)
    case let expression: return Self.compare(expression, .equal, .value(true))
    }
  }

  func with(_ variable: PredicateExpressions.VariableID, _ part: PredicatePart) -> PredicateTranslator {
    var inner = self
    inner.variables[variable] = part
    return inner
  }

  static func compare(
    _ left: FetchExpression, _ op: FetchOperator, _ right: FetchExpression, any: Bool = false
  ) -> FetchPredicate {
    .comparison(FetchComparison(left, op, right, modifier: any ? .any : .direct))
  }

  /// A type's name without what it is generic over.
  static func name(_ type: Any.Type) -> String {
    let text = String(describing: type)
    return String(text.prefix { $0 != "<" })
  }

  static func output(_ node: any PredicateExpression) -> Any.Type {
    func open<Node: PredicateExpression>(_ node: Node) -> Any.Type { Node.Output.self }
    return open(node)
  }

  /// Whether a type's values are the same in JSON and in predicates: strings, numbers and booleans.
  static func isPlain(_ type: Any.Type) -> Bool {
    if let optional = type as? any OptionalType.Type { return isPlain(optional.wrapped) }
    if let raw = type as? any RawRepresentable.Type { return isPlain(rawType(raw)) }
    return type is any StringProtocol.Type || type == Bool.self || type is any BinaryInteger.Type
      || type is any BinaryFloatingPoint.Type || type == Character.self
  }

  private static func rawType<Raw: RawRepresentable>(_ type: Raw.Type) -> Any.Type { Raw.RawValue.self }
}
