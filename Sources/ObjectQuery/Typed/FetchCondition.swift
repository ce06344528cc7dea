import ObjectModel

/// What can stand as a condition in a typed closure: a condition, or a boolean property.
public protocol FetchCondition {
  /// The condition.
  var fetchPredicate: FetchPredicate { get }
}

extension FetchPredicate: FetchCondition {
  /// Itself.
  public var fetchPredicate: FetchPredicate { self }

  /// The condition that a closure makes of an object: `FetchPredicate(for: Book.self) { $0.pages >
  /// 300 }`.
  ///
  /// The closure runs once, to write the condition down; it is given no object. A key path that
  /// names no property is refused by the fetch.
  public init<Model: QueryableModel>(
    for model: Model.Type, _ condition: (TypedExpression<Model>) -> some FetchCondition
  ) {
    self = condition(TypedExpression(.selfObject)).fetchPredicate
  }
}

extension TypedExpression: FetchCondition where Value == Bool {
  /// Whether the property is true.
  public var fetchPredicate: FetchPredicate {
    .comparison(FetchComparison(expression, .equal, .value(.boolean(true))))
  }
}

/// Both.
public func && (left: some FetchCondition, right: some FetchCondition) -> FetchPredicate {
  if case .and(let parts) = left.fetchPredicate { return .and(parts + [right.fetchPredicate]) }
  return .and([left.fetchPredicate, right.fetchPredicate])
}

/// Either.
public func || (left: some FetchCondition, right: some FetchCondition) -> FetchPredicate {
  if case .or(let parts) = left.fetchPredicate { return .or(parts + [right.fetchPredicate]) }
  return .or([left.fetchPredicate, right.fetchPredicate])
}

/// Not.
public prefix func ! (condition: some FetchCondition) -> FetchPredicate { .not(condition.fetchPredicate) }
