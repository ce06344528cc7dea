import ObjectModel

/// An expression that knows the Swift type of its value: what a typed closure gets in place of an
/// object.
///
/// Read properties as on the object itself: `$0.author.name`. A to-one needs no `?`; where it is
/// null, the value is null.
@dynamicMemberLookup
public struct TypedExpression<Value>: Sendable {
  /// The expression.
  public let expression: FetchExpression

  /// Gives an expression the type of its value.
  public init(_ expression: FetchExpression) { self.expression = expression }

  /// A property of the object.
  public subscript<Property>(dynamicMember keyPath: KeyPath<Value, Property>) -> TypedExpression<Property>
  where Value: QueryableModel {
    TypedExpression<Property>(expression.followed(by: Value.propertyName(keyPath)))
  }

  /// A property of a to-one's destination.
  public subscript<Model: QueryableModel, Property>(
    dynamicMember keyPath: KeyPath<Model, Property>
  ) -> TypedExpression<Property> where Value == Model? {
    TypedExpression<Property>(expression.followed(by: Model.propertyName(keyPath)))
  }

  /// The value under a key of a stored dictionary or composite.
  ///
  /// A fetch refuses a key with a dot in it or an @ before it, which mean something else in a path.
  public subscript<Element>(key: String) -> TypedExpression<Element?> where Value == [String: Element] {
    guard FetchExpression.isPlainKey(key) else {
      return TypedExpression<Element?>(.keyPath(["a dictionary's key with a dot in it or an @ before it"]))
    }
    return TypedExpression<Element?>(expression.followed(by: key))
  }
}

extension FetchExpression {
  /// The property of the expression's object; nil where the expression is no object.
  func following(_ name: String) -> FetchExpression? {
    switch self {
    case .selfObject: return .keyPath([name])
    case .keyPath(let names): return .keyPath(names + [name])
    case .variable(let variable): return .variable("\(variable).\(name)")
    case .element(let collection, let place, let names): return .element(collection, place, names + [name])
    case .subquery(let subquery):
      return .subquery(
        FetchSubquery(
          subquery.collection, subquery.variable, where: subquery.predicate,
          keyPath: subquery.keyPath + [name]))
    case .conditional(let condition, let then, let otherwise):
      guard let then = then.following(name), let otherwise = otherwise.following(name) else { return nil }
      return .conditional(condition, then, otherwise)
    case .value(.null): return self
    case .value, .list, .function, .aggregate: return nil
    }
  }

  /// The same; where it is no object, a path that the fetch refuses by its description.
  func followed(by name: String) -> FetchExpression {
    following(name) ?? .keyPath(["\(name) of a value, which has no properties in a store"])
  }

  /// Whether a key of a dictionary can stand in a path.
  static func isPlainKey(_ key: String) -> Bool {
    !key.isEmpty && !key.unicodeScalars.contains(".") && key.unicodeScalars.first != "@"
  }
}

extension Optional: FetchArgument where Wrapped: FetchArgument {
  /// The value, or null.
  public var fetchExpression: FetchExpression { self?.fetchExpression ?? .value(.null) }
}

extension FetchArgument where Self: RawRepresentable, RawValue: FetchArgument {
  /// The raw value.
  public var fetchExpression: FetchExpression { rawValue.fetchExpression }
}
