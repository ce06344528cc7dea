extension FetchExpression {
  /// A key path with a collection operator, as the aggregate it means: `books.@sum.pages` and
  /// `books.pages.@sum` are the sum over `books.pages`.
  ///
  /// Nil for a path without one.
  ///
  /// - Throws: `QueryError` for an unknown operator, or one at a wrong position.
  package static func collectionOperator(in names: [String]) throws(QueryError) -> FetchExpression? {
    guard let place = names.firstIndex(where: { $0.hasPrefix("@") }) else { return nil }
    let path = Array(names[..<place])
    let rest = Array(names[(place + 1)...])
    guard !path.isEmpty else {
      throw QueryError(.syntax, "\(names[place]) must follow a to-many relationship")
    }
    let aggregate: FetchAggregate
    switch names[place] {
    case "@count":
      guard rest.isEmpty else { throw QueryError(.syntax, "nothing can follow @count") }
      aggregate = .count
    case "@sum": aggregate = .sum
    case "@avg", "@average": aggregate = .average
    case "@min": aggregate = .min
    case "@max": aggregate = .max
    case "@median": aggregate = .median
    case "@unionOfObjects": return try collectionOperator(in: path + rest) ?? .keyPath(path + rest)
    default: throw QueryError(.unsupported, "the collection operator \(names[place]) is not known")
    }
    guard !rest.contains(where: { $0.hasPrefix("@") }) else {
      throw QueryError(.unsupported, "a key path takes one collection operator")
    }
    return .aggregate(aggregate, .keyPath(path + rest))
  }
}
