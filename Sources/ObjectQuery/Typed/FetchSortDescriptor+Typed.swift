extension FetchSortDescriptor {
  /// Sorts by what a closure reads of an object: `FetchSortDescriptor(Book.self) { $0.author.name
  /// }`, `{ $0.books.count }`.
  /// - Throws: `QueryError` with code `unsupported` for what is no property, through to-ones if
  ///   need be, nor the number or a function of a to-many's.
  public init<Model: QueryableModel, Value>(
    _ model: Model.Type, ascending: Bool = true, options: ComparisonOptions = [],
    comparator: Comparator = .scalars,
    nulls: Nulls = .least, _ property: (TypedExpression<Model>) -> TypedExpression<Value>
  ) throws(QueryError) {
    self.init("", ascending: ascending, options: options, comparator: comparator, nulls: nulls)
    switch property(TypedExpression(.selfObject)).expression {
    case .keyPath(let names): keyPath = names
    case .aggregate(.count, .keyPath(let names)): keyPath = names + ["@count"]
    case .aggregate(let aggregate, .keyPath(let names)) where names.count > 1:
      let word = aggregate == .average ? "avg" : aggregate.rawValue
      keyPath = names.dropLast() + ["@\(word)"] + names.suffix(1)
    default:
      throw QueryError(
        .unsupported, "an order is by a property or by the number or a function of a to-many's")
    }
  }
}
