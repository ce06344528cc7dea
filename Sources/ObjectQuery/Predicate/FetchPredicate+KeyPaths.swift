extension FetchPredicate {
  /// The key paths that begin at the object asked, and whether there are others, inside subqueries
  /// or behind places.
  package var keyPaths: (own: [[String]], hasOthers: Bool) {
    var found: (own: [[String]], hasOthers: Bool) = ([], false)
    collect(&found)
    return found
  }

  fileprivate func collect(_ found: inout (own: [[String]], hasOthers: Bool)) {
    switch self {
    case .constant: break
    case .comparison(let comparison):
      comparison.left.collect(&found)
      comparison.right.collect(&found)
    case .and(let parts), .or(let parts): for part in parts { part.collect(&found) }
    case .not(let part): part.collect(&found)
    case .kind(let object, _): object.collect(&found)
    }
  }
}

extension FetchExpression {
  fileprivate func collect(_ found: inout (own: [[String]], hasOthers: Bool)) {
    switch self {
    case .value, .selfObject: break
    case .keyPath(let names): found.own.append(names)
    case .list(let parts), .function(_, let parts): for part in parts { part.collect(&found) }
    case .aggregate(_, let part): part.collect(&found)
    case .conditional(let condition, let then, let otherwise):
      condition.collect(&found)
      then.collect(&found)
      otherwise.collect(&found)
    case .variable, .subquery, .element: found.hasOthers = true
    }
  }
}
