import AppleModel

extension ArchivedExpression {
  /// The properties of the source object that the expression reads, as the first names of its key
  /// paths.
  var sourceNames: Set<String> {
    switch self {
    case .keyPath(.variable("source"), let path):
      return Set(path.split(separator: ".").map(String.init).first { !$0.hasPrefix("@") }.map { [$0] } ?? [])
    case .keyPath(let target, _): return target.sourceNames
    case .function(let target, _, let arguments):
      return Self.names(([target].compactMap { $0 }) + arguments)
    case .list(let elements): return Self.names(elements)
    case .subquery(let collection, _, let predicate):
      return collection.sourceNames.union(predicate.sourceNames)
    case .conditional(let predicate, let first, let second):
      return Self.names([first, second]).union(predicate.sourceNames)
    case .setOperation(_, let first, let second): return Self.names([first, second])
    case .fetchRequest(let request, let context, _): return Self.names([request, context])
    case .constant, .selfObject, .variable, .symbol, .unknown: return []
    }
  }

  private static func names(_ expressions: [ArchivedExpression]) -> Set<String> {
    expressions.reduce(into: []) { $0.formUnion($1.sourceNames) }
  }
}

extension ArchivedPredicate {
  fileprivate var sourceNames: Set<String> {
    switch self {
    case .comparison(let comparison): return comparison.left.sourceNames.union(comparison.right.sourceNames)
    case .and(let parts), .or(let parts): return parts.reduce(into: []) { $0.formUnion($1.sourceNames) }
    case .not(let part): return part.sourceNames
    case .constant, .unknown: return []
    }
  }
}
