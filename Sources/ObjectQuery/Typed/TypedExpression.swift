import ObjectModel

/// An expression that knows the Swift type of its value: what a typed closure is given in place of an object.
///
/// Properties are read as the object's own are: `$0.author.name`. A to-one needs no `?`; where it leads nowhere the value
/// is null.
@dynamicMemberLookup
public struct TypedExpression<Value>: Sendable {
  /// The expression.
  public let expression: FetchExpression

  /// Says of which type an expression's value is.
  public init(_ expression: FetchExpression) { self.expression = expression }

  /// A property of the object.
  public subscript<Property>(dynamicMember keyPath: KeyPath<Value, Property>) -> TypedExpression<Property>
  where Value: QueryableModel {
    TypedExpression<Property>(expression.following(Value.propertyName(keyPath)))
  }

  /// A property of the object that a to-one leads to.
  public subscript<Model: QueryableModel, Property>(
    dynamicMember keyPath: KeyPath<Model, Property>
  ) -> TypedExpression<Property> where Value == Model? {
    TypedExpression<Property>(expression.following(Model.propertyName(keyPath)))
  }

  /// The value under a key of a stored dictionary or composite.
  public subscript<Element>(key: String) -> TypedExpression<Element?> where Value == [String: Element] {
    TypedExpression<Element?>(expression.following(key))
  }
}

extension FetchExpression {
  /// The property of what the expression leads to.
  func following(_ name: String) -> FetchExpression {
    switch self {
    case .keyPath(let names): .keyPath(names + [name])
    case .variable(let variable): .variable("\(variable).\(name)")
    case .element(let collection, let place, let names): .element(collection, place, names + [name])
    case .subquery(let subquery):
      .subquery(
        FetchSubquery(
          subquery.collection, subquery.variable, where: subquery.predicate,
          keyPath: subquery.keyPath + [name]))
    default: .keyPath([name])
    }
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
