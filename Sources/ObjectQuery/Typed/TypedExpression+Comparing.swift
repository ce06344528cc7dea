import ObjectModel

extension TypedExpression {
  private func compared(
    _ op: FetchOperator, _ other: FetchExpression, _ options: ComparisonOptions = []
  ) -> FetchPredicate {
    .comparison(FetchComparison(expression, op, other, options: options))
  }

  // MARK: With a value

  /// The same value, or both null.
  public static func == (left: Self, right: Value) -> FetchPredicate where Value: FetchArgument {
    left.compared(.equal, right.fetchExpression)
  }

  /// Another value.
  ///
  /// Null is other than every value.
  public static func != (left: Self, right: Value) -> FetchPredicate where Value: FetchArgument {
    left.compared(.notEqual, right.fetchExpression)
  }

  /// Before; false beside null.
  public static func < (left: Self, right: Value) -> FetchPredicate where Value: FetchArgument {
    left.compared(.less, right.fetchExpression)
  }

  /// Before or the same; false beside null.
  public static func <= (left: Self, right: Value) -> FetchPredicate where Value: FetchArgument {
    left.compared(.lessOrEqual, right.fetchExpression)
  }

  /// After; false beside null.
  public static func > (left: Self, right: Value) -> FetchPredicate where Value: FetchArgument {
    left.compared(.greater, right.fetchExpression)
  }

  /// After or the same; false beside null.
  public static func >= (left: Self, right: Value) -> FetchPredicate where Value: FetchArgument {
    left.compared(.greaterOrEqual, right.fetchExpression)
  }

  // MARK: With another property

  /// The same value, or both null.
  public static func == <Other>(left: Self, right: TypedExpression<Other>) -> FetchPredicate {
    left.compared(.equal, right.expression)
  }

  /// Another value.
  ///
  /// Null is other than every value.
  public static func != <Other>(left: Self, right: TypedExpression<Other>) -> FetchPredicate {
    left.compared(.notEqual, right.expression)
  }

  /// Before; false beside null.
  public static func < <Other>(left: Self, right: TypedExpression<Other>) -> FetchPredicate {
    left.compared(.less, right.expression)
  }

  /// Before or the same; false beside null.
  public static func <= <Other>(left: Self, right: TypedExpression<Other>) -> FetchPredicate {
    left.compared(.lessOrEqual, right.expression)
  }

  /// After; false beside null.
  public static func > <Other>(left: Self, right: TypedExpression<Other>) -> FetchPredicate {
    left.compared(.greater, right.expression)
  }

  /// After or the same; false beside null.
  public static func >= <Other>(left: Self, right: TypedExpression<Other>) -> FetchPredicate {
    left.compared(.greaterOrEqual, right.expression)
  }

  // MARK: With several

  /// Whether the value is one of a list, of any length.
  public func isIn(_ values: some Sequence<Value>) -> FetchPredicate where Value: FetchArgument {
    compared(.in, .list(values.map(\.fetchExpression)))
  }

  /// Whether the value is one of a list, of any length; null never is.
  public func isIn<Wrapped: FetchArgument>(_ values: some Sequence<Wrapped>) -> FetchPredicate
  where Value == Wrapped? {
    compared(.in, .list(values.map(\.fetchExpression)))
  }

  /// Whether the value lies in a range, its ends included.
  public func isIn(_ range: ClosedRange<Value>) -> FetchPredicate where Value: FetchArgument {
    compared(.between, .list([range.lowerBound.fetchExpression, range.upperBound.fetchExpression]))
  }

  /// Whether the value lies in a range, its upper end excluded.
  public func isIn(_ range: Range<Value>) -> FetchPredicate where Value: FetchArgument {
    .and([
      compared(.greaterOrEqual, range.lowerBound.fetchExpression),
      compared(.less, range.upperBound.fetchExpression),
    ])
  }

  /// Whether the value is not before a bound.
  public func isIn(_ range: PartialRangeFrom<Value>) -> FetchPredicate where Value: FetchArgument {
    compared(.greaterOrEqual, range.lowerBound.fetchExpression)
  }

  /// Whether the value is before a bound.
  public func isIn(_ range: PartialRangeUpTo<Value>) -> FetchPredicate where Value: FetchArgument {
    compared(.less, range.upperBound.fetchExpression)
  }

  /// Whether the value is not after a bound.
  public func isIn(_ range: PartialRangeThrough<Value>) -> FetchPredicate where Value: FetchArgument {
    compared(.lessOrEqual, range.upperBound.fetchExpression)
  }

  /// Whether the value lies in a range, its ends included; null never does.
  public func isIn<Wrapped: FetchArgument>(_ range: ClosedRange<Wrapped>) -> FetchPredicate
  where Value == Wrapped? {
    compared(.between, .list([range.lowerBound.fetchExpression, range.upperBound.fetchExpression]))
  }

  /// Whether the value lies in a range, its upper end excluded; null never does.
  public func isIn<Wrapped: FetchArgument>(_ range: Range<Wrapped>) -> FetchPredicate
  where Value == Wrapped? {
    .and([
      compared(.greaterOrEqual, range.lowerBound.fetchExpression),
      compared(.less, range.upperBound.fetchExpression),
    ])
  }

  /// Whether the value is not before a bound; null never is.
  public func isIn<Wrapped: FetchArgument>(_ range: PartialRangeFrom<Wrapped>) -> FetchPredicate
  where Value == Wrapped? {
    compared(.greaterOrEqual, range.lowerBound.fetchExpression)
  }

  /// Whether the value is before a bound; null never is.
  public func isIn<Wrapped: FetchArgument>(_ range: PartialRangeUpTo<Wrapped>) -> FetchPredicate
  where Value == Wrapped? {
    compared(.less, range.upperBound.fetchExpression)
  }

  /// Whether the value is not after a bound; null never is.
  public func isIn<Wrapped: FetchArgument>(_ range: PartialRangeThrough<Wrapped>) -> FetchPredicate
  where Value == Wrapped? {
    compared(.lessOrEqual, range.upperBound.fetchExpression)
  }

  /// The value, or another where it is null.
  public static func ?? <Wrapped: FetchArgument>(left: Self, right: Wrapped) -> TypedExpression<Wrapped>
  where Value == Wrapped? {
    TypedExpression<Wrapped>(
      .conditional(left.compared(.notEqual, .value(.null)), left.expression, right.fetchExpression))
  }
}
