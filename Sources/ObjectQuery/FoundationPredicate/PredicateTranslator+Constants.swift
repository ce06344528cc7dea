import Foundation
import ObjectModel

extension PredicateTranslator {
  /// A constant of any type.
  func constant(_ value: Any) throws(QueryError) -> PredicatePart {
    switch value {
    case let range as any ConstantRange: return range.part
    case let argument as any FetchArgument: return .expression(argument.fetchExpression)
    case let character as Character: return .expression(.value(.string(String(character))))
    case let text as Substring: return .expression(.value(.string(String(text))))
    case let optional as any OptionalValue:
      if let value = optional.present { return try constant(value) }
      return .expression(.value(.null))
    case let number as any BinaryInteger where Int64(exactly: number) != nil:
      return .expression(.value(.integer(Int64(number))))
    case let number as any BinaryInteger:
      // Stored as decimals, which have a larger range.
      return .expression(.value(.decimal(Decimal(string: "\(number)") ?? .nan)))
    case let raw as any RawRepresentable where raw.rawValue is any FetchArgument:
      return try constant(raw.rawValue)
    case let list as [any RawRepresentable]:
      var values: [FetchExpression] = []
      for raw in list {
        guard case .expression(let value) = try constant(raw) else { continue }
        values.append(value)
      }
      return .expression(.list(values))
    default:
      if let value = value as? any Encodable, let data = values.json(value) {
        try Self.refuseWithoutOrder(value)
        return .expression(.value(.data(data)))
      }
      throw QueryError(
        .unsupported,
        "Value: one of \(Self.name(type(of: value))) cannot be compared in a store; conform it to"
          + " FetchArgument"
      )
    }
  }

  /// A value known now, in the form in which the other side has its own.
  func constant(_ value: Any, beside node: Any, _ part: PredicatePart) throws(QueryError) -> FetchExpression {
    guard let value = Self.present(value) else { return .value(.null) }
    if case .json = part { return .value(try json(value)) }
    if let (type, keyPath) = (node as? any PropertyNode)?.property {
      if let number = values.reference(value, among: type) { return .value(.reference(number)) }
      if let stored = values.stored(value, as: keyPath, of: type) {
        try Self.refuseWithoutOrder(value)
        return .value(stored)
      }
    } else if let output = (node as? any PredicateExpression).map(Self.output),
      let model = Self.model(output), let number = values.reference(value, among: model)
    {
      return .value(.reference(number))
    }
    guard case .expression(let expression) = try constant(value) else {
      throw QueryError(.unsupported, "Value: a range stands where a value is expected; ask with contains")
    }
    return expression
  }

  /// A value as it stands in JSON.
  func json(_ value: Any) throws(QueryError) -> AttributeValue {
    try Self.refuseWithoutOrder(value)
    if let encodable = value as? any Encodable, let data = values.json(encodable) {
      return StoredJSON.value(StoredJSON.read(data))
    }
    guard case .expression(.value(let plain)) = try constant(value) else {
      throw QueryError(
        .unsupported,
        "Value: one of \(Self.name(type(of: value))) cannot be compared with what lies inside a value")
    }
    return plain
  }

  /// Both sides of a comparison, in one form.
  func sides(_ lhs: Any, _ rhs: Any) throws(QueryError) -> (FetchExpression, FetchExpression) {
    if let known = known(rhs) {
      let left = try part(lhs)
      let right = try constant(known, beside: lhs, left)
      return (try raw(left, lhs), right)
    }
    if let known = known(lhs) {
      let right = try part(rhs)
      return (try constant(known, beside: rhs, right), try raw(right, rhs))
    }
    for node in [lhs, rhs] {
      if let type = (node as? any PredicateExpression).map(Self.output), Self.hasNoOrder(type) {
        throw QueryError(
          .unsupported, "\(Self.name(Swift.type(of: node))): two sets cannot be compared in a store")
      }
    }
    let (left, right) = (try part(lhs), try part(rhs))
    if case .json(let a) = left, case .json(let b) = right { return (a, b) }
    return (try expression(left, of: lhs), try expression(right, of: rhs))
  }

  /// What a range or a list is asked for, and whether it is in JSON's form.
  func element(_ node: Any) throws(QueryError) -> (FetchExpression, isJSON: Bool) {
    let part = try part(node)
    if case .json(let expression) = part { return (expression, true) }
    return (try expression(part, of: node), false)
  }

  /// A bound of a range as it stands in JSON.
  static func json(_ bound: FetchExpression, _ node: Any.Type) throws(QueryError) -> FetchExpression {
    guard case .value(let value) = bound else { return bound }
    switch value {
    case .date(let date): return .value(.double(date.timeIntervalSinceReferenceDate))
    case .uuid(let uuid): return .value(.string(uuid.uuidString))
    case .integer, .double, .string, .boolean, .null: return bound
    default:
      throw QueryError(
        .unsupported, "\(name(node)) has no translation for such bounds and what lies inside a value")
    }
  }

  /// The expression, whatever the form.
  func raw(_ part: PredicatePart, _ node: Any) throws(QueryError) -> FetchExpression {
    if case .json(let expression) = part { return expression }
    return try expression(part, of: node)
  }

  /// The class of models that a type is, optional or not.
  static func model(_ type: Any.Type) -> (any QueryableModel.Type)? {
    if let model = type as? any QueryableModel.Type { return model }
    return (type as? any OptionalType.Type).flatMap { model($0.wrapped) }
  }

  static func present(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalValue else { return value }
    return optional.present.flatMap(present)
  }

  // MARK: Order

  /// Whether JSON keeps the elements of a type in no order that lasts.
  private static func hasNoOrder(_ type: Any.Type) -> Bool {
    if let optional = type as? any OptionalType.Type { return hasNoOrder(optional.wrapped) }
    return (type as? any StoredCollection.Type)?.hasOrder == false
  }

  /// Two sets that are equal may be stored in different orders, so that bytes tell nothing.
  private static func refuseWithoutOrder(_ value: Any) throws(QueryError) {
    guard holdsWithoutOrder(value, depth: 0) else { return }
    throw QueryError(
      .unsupported,
      "Value: one of \(name(type(of: value))) has a set in it, which no store can compare; ask what it"
        + " contains"
    )
  }

  private static func holdsWithoutOrder(_ value: Any, depth: Int) -> Bool {
    if let collection = value as? any StoredCollection, !type(of: collection).hasOrder,
      collection.elementCount > 1
    {
      return true
    }
    guard depth < 8 else { return false }
    return Mirror(reflecting: value).children.prefix(1000).contains {
      holdsWithoutOrder($0.value, depth: depth + 1)
    }
  }
}

/// Ranges whose bounds are known now.
protocol ConstantRange { var part: PredicatePart { get } }

extension Range: ConstantRange where Bound: FetchArgument {
  var part: PredicatePart {
    .range(lower: lowerBound.fetchExpression, upper: upperBound.fetchExpression, isClosed: false)
  }
}

extension ClosedRange: ConstantRange where Bound: FetchArgument {
  var part: PredicatePart {
    .range(lower: lowerBound.fetchExpression, upper: upperBound.fetchExpression, isClosed: true)
  }
}

extension PartialRangeFrom: ConstantRange where Bound: FetchArgument {
  var part: PredicatePart { .range(lower: lowerBound.fetchExpression, upper: nil, isClosed: true) }
}

extension PartialRangeUpTo: ConstantRange where Bound: FetchArgument {
  var part: PredicatePart { .range(lower: nil, upper: upperBound.fetchExpression, isClosed: false) }
}

extension PartialRangeThrough: ConstantRange where Bound: FetchArgument {
  var part: PredicatePart { .range(lower: nil, upper: upperBound.fetchExpression, isClosed: true) }
}

private protocol OptionalValue { var present: Any? { get } }
extension Optional: OptionalValue { var present: Any? { self } }
