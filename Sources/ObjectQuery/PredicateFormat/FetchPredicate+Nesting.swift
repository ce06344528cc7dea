extension FetchPredicate {
  /// The depth to which the condition's own text is nested, and `limit` where it is that or more:
  /// deeper levels are not visited.
  func nesting(upTo limit: Int) -> Int {
    if limit <= 0 { return limit }
    return switch self {
    case .constant: 0
    case .comparison(let comparison):
      max(comparison.left.nesting(upTo: limit), comparison.right.nesting(upTo: limit))
    case .and(let parts), .or(let parts): 1 + (parts.lazy.map { $0.nesting(upTo: limit - 1) }.max() ?? 0)
    case .kind(let object, _): object.nesting(upTo: limit)
    case .not(let part):
      if case .not = part { 1 + part.nesting(upTo: limit - 1) } else { part.nesting(upTo: limit) }
    }
  }

  /// Refuses what is nested deeper than format text may be, before anything goes into it: such a
  /// condition fills the stack.
  /// - Throws: `QueryError` with code `tooComplex`.
  package func checkNesting() throws(QueryError) {
    let limit = FormatParser.greatestDepth - 2
    guard nesting(upTo: limit) < limit else { throw QueryError.tooDeep }
  }
}

extension FetchExpression {
  /// How deeply the reader goes into the expression's own text, `limit` where it is that or more.
  func nesting(upTo limit: Int) -> Int {
    if limit <= 0 { return limit }
    return switch self {
    case .value, .keyPath, .selfObject, .variable: 0
    case .list(let parts), .function(_, let parts):
      1 + (parts.lazy.map { $0.nesting(upTo: limit - 1) }.max() ?? 0)
    case .aggregate(_, let part): 1 + part.nesting(upTo: limit - 1)
    case .subquery(let subquery):
      1 + max(subquery.collection.nesting(upTo: limit - 1), 1 + subquery.predicate.nesting(upTo: limit - 2))
    case .conditional(let condition, let then, let otherwise):
      1
        + max(
          1 + condition.nesting(upTo: limit - 2), then.nesting(upTo: limit - 1),
          otherwise.nesting(upTo: limit - 1))
    case .element(let collection, _, _): 1 + collection.nesting(upTo: limit - 1)
    }
  }

  /// - Throws: as `FetchPredicate.checkNesting()`.
  func checkNesting() throws(QueryError) {
    let limit = FormatParser.greatestDepth - 2
    guard nesting(upTo: limit) < limit else { throw QueryError.tooDeep }
  }
}

extension FetchRequest {
  /// Refuses a request with a condition or an expression that is nested too deeply.
  ///
  /// To be called before anything goes into these.
  /// - Throws: `QueryError` with code `tooComplex`.
  package func checkNesting() throws(QueryError) {
    try predicate?.checkNesting()
    try havingPredicate?.checkNesting()
    for column in propertiesToFetch ?? [] {
      if case .keyPath = column.expression { continue }
      try column.expression.checkNesting()
    }
  }
}

extension QueryError {
  fileprivate static let tooDeep = QueryError(
    .tooComplex, "a condition or an expression is nested deeper than \(FormatParser.greatestDepth - 3) levels"
  )
}
