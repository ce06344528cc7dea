import ObjectModel

/// The names that elements of collections have in conditions inside one another.
enum ElementNames {
  @TaskLocal static var depth = 0
}

extension TypedExpression {
  private func subquery<Element>(
    _ condition: (TypedExpression<Element>) -> some FetchCondition
  ) -> FetchExpression {
    let depth = ElementNames.depth + 1
    let name = "element\(depth)"
    let predicate = ElementNames.$depth.withValue(depth) {
      condition(TypedExpression<Element>(.variable(name))).fetchPredicate
    }
    return .subquery(FetchSubquery(expression, name, where: predicate))
  }

  private static func has(_ collection: FetchExpression) -> FetchPredicate {
    .comparison(FetchComparison(.aggregate(.count, collection), .greater, .value(.integer(0))))
  }

  private func folded<Element: QueryableModel, Property, Result>(
    _ aggregate: FetchAggregate, _ keyPath: KeyPath<Element, Property>
  ) -> TypedExpression<Result> {
    TypedExpression<Result>(.aggregate(aggregate, expression.followed(by: Element.propertyName(keyPath))))
  }

  // MARK: To-many relationships

  /// Whether a destination meets the condition.
  public func any<Element>(_ condition: (TypedExpression<Element>) -> some FetchCondition) -> FetchPredicate
  where Value == [Element], Element: QueryableModel {
    Self.has(subquery(condition))
  }

  /// Whether every destination meets the condition; true of none.
  public func all<Element>(_ condition: (TypedExpression<Element>) -> some FetchCondition) -> FetchPredicate
  where Value == [Element], Element: QueryableModel {
    .not(Self.has(subquery { .not(condition($0).fetchPredicate) as FetchPredicate }))
  }

  /// Whether no destination meets the condition.
  public func none<Element>(_ condition: (TypedExpression<Element>) -> some FetchCondition) -> FetchPredicate
  where Value == [Element], Element: QueryableModel {
    .not(Self.has(subquery(condition)))
  }

  /// The destinations that meet the condition.
  public func filter<Element>(_ condition: (TypedExpression<Element>) -> some FetchCondition) -> Self
  where Value == [Element], Element: QueryableModel {
    Self(subquery(condition))
  }

  /// Whether an object is among the destinations.
  public func contains<Element>(_ object: Element) -> FetchPredicate
  where Value == [Element], Element: QueryableModel & FetchArgument {
    .comparison(FetchComparison(expression, .equal, object.fetchExpression, modifier: .any))
  }

  /// The sum of a property of the destinations; 0 of none.
  public func sum<Element: QueryableModel, Number>(
    _ keyPath: KeyPath<Element, Number>
  ) -> TypedExpression<Number> where Value == [Element] { folded(.sum, keyPath) }

  /// The mean of a property of the destinations; null of none.
  public func average<Element: QueryableModel, Number>(
    _ keyPath: KeyPath<Element, Number>
  ) -> TypedExpression<Double> where Value == [Element] { folded(.average, keyPath) }

  /// The least of a property of the destinations; null of none.
  public func min<Element: QueryableModel, Property>(
    _ keyPath: KeyPath<Element, Property>
  ) -> TypedExpression<Property> where Value == [Element] { folded(.min, keyPath) }

  /// The greatest of a property of the destinations; null of none.
  public func max<Element: QueryableModel, Property>(
    _ keyPath: KeyPath<Element, Property>
  ) -> TypedExpression<Property> where Value == [Element] { folded(.max, keyPath) }

  /// The middle of a property of the destinations; null of none.
  public func median<Element: QueryableModel, Number>(
    _ keyPath: KeyPath<Element, Number>
  ) -> TypedExpression<Double> where Value == [Element] { folded(.median, keyPath) }

  /// The destination at an index, from 0; null beyond the last.
  public subscript<Element>(place: Int) -> TypedExpression<Element?> where Value == [Element] {
    TypedExpression<Element?>(.element(expression, .at(place), []))
  }

  // MARK: Stored arrays

  /// Whether a stored array contains a value.
  public func contains<Element: FetchArgument>(_ element: Element) -> FetchPredicate
  where Value == [Element] {
    .comparison(FetchComparison(expression, .contains, element.fetchExpression))
  }
}

extension TypedExpression where Value: RandomAccessCollection {
  /// How many destinations there are.
  public var count: TypedExpression<Int> {
    TypedExpression<Int>(.aggregate(.count, expression))
  }

  /// Whether there is no destination.
  public var isEmpty: FetchPredicate {
    .comparison(FetchComparison(.aggregate(.count, expression), .equal, .value(.integer(0))))
  }

  /// The first destination, by the relationship's order or that of insertion.
  public var first: TypedExpression<Value.Element?> {
    TypedExpression<Value.Element?>(.element(expression, .first, []))
  }

  /// The last destination.
  public var last: TypedExpression<Value.Element?> {
    TypedExpression<Value.Element?>(.element(expression, .last, []))
  }
}
