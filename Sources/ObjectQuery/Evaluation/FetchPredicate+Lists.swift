import ObjectModel

extension FetchPredicate {
  /// A disjunction of fewer terms does not change.
  private static let fewTerms = 16

  /// The same predicate, with long chains of `x == 1 OR x == 2 OR …` as `x IN {1, 2, …}`, which is
  /// one lookup.
  ///
  /// Short chains do not change, so that a prepared statement with a few terms is reused.
  package func joiningEqualities() -> FetchPredicate {
    switch self {
    case .constant, .comparison, .kind: return self
    case .not(let part): return .not(part.joiningEqualities())
    case .and(let parts): return .and(parts.map { $0.joiningEqualities() })
    case .or(let parts):
      if parts.count < Self.fewTerms { return .or(parts.map { $0.joiningEqualities() }) }
      return .or(Self.joined(parts))
    }
  }

  /// Whether `joiningEqualities()` may change it.
  package var isJoined: Bool {
    switch self {
    case .constant, .comparison, .kind: false
    case .and, .or, .not: true
    }
  }

  private static func joined(_ parts: [FetchPredicate]) -> [FetchPredicate] {
    var result: [FetchPredicate] = []
    var lists: [FetchComparison: (place: Int, values: [FetchExpression])] = [:]
    for part in parts {
      guard case .comparison(var comparison) = part, let value = comparison.joinedValue else {
        result.append(part.joiningEqualities())
        continue
      }
      (comparison.operator, comparison.right) = (.in, .list([]))
      if lists[comparison] == nil {
        lists[comparison] = (result.count, [])
        result.append(part)
      }
      lists[comparison]?.values.append(value)
    }
    for (var comparison, (place, values)) in lists where values.count > 1 {
      comparison.right = .list(values)
      result[place] = .comparison(comparison)
    }
    return result
  }
}

extension FetchComparison {
  /// The value that a term of a disjunction compares for equality, where a list of such values is
  /// the same.
  fileprivate var joinedValue: FetchExpression? {
    guard `operator` == .equal, modifier != .all, case .value(let value) = right else { return nil }
    return switch value {
    case .integer, .string, .uuid, .reference: right
    default: nil
    }
  }
}
