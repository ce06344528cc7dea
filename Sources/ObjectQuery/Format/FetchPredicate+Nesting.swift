extension FetchPredicate {
  /// How deeply the reader goes into the condition's own text.
  var nesting: Int {
    switch self {
    case .constant: 0
    case .comparison(let comparison): max(comparison.left.nesting, comparison.right.nesting)
    case .and(let parts), .or(let parts): 1 + (parts.map(\.nesting).max() ?? 0)
    case .kind(let object, _): object.nesting
    case .not(let part): if case .not = part { 1 + part.nesting } else { part.nesting }
    }
  }
}

extension FetchExpression {
  /// How deeply the reader goes into the expression's own text.
  var nesting: Int {
    switch self {
    case .value, .keyPath, .selfObject, .variable: 0
    case .list(let parts), .function(_, let parts): 1 + (parts.map(\.nesting).max() ?? 0)
    case .aggregate(_, let part): 1 + part.nesting
    case .subquery(let subquery): 1 + max(subquery.collection.nesting, 1 + subquery.predicate.nesting)
    case .conditional(let condition, let then, let otherwise):
      1 + max(1 + condition.nesting, then.nesting, otherwise.nesting)
    case .element(let collection, _, _): 1 + collection.nesting
    }
  }
}
