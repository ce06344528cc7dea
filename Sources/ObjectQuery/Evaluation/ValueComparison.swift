package import ObjectModel

/// One comparison of values, as every store decides it: memory calls it, and so does SQL where it
/// has no like of its own.
package enum ValueComparison {
  /// Whether two values stand as an operator says; all operators but BETWEEN, which is two, and IN.
  /// - Throws: `QueryError` where a regular expression takes too many steps.
  package static func holds(
    _ left: AttributeValue, _ operator: FetchOperator, _ right: AttributeValue, _ options: ComparisonOptions
  ) throws(QueryError) -> Bool {
    switch `operator` {
    case .equal: return equal(left, right, options)
    case .notEqual: return !equal(left, right, options)
    case .less: return order(left, right, options).map { $0 < 0 } ?? false
    case .lessOrEqual: return order(left, right, options).map { $0 <= 0 } ?? false
    case .greater: return order(left, right, options).map { $0 > 0 } ?? false
    case .greaterOrEqual: return order(left, right, options).map { $0 >= 0 } ?? false
    case .in: return isElement(left, of: right, options)
    case .between: return false
    case .contains where left.isData: return left.holds(right)
    case .contains, .beginsWith, .endsWith, .like, .matches, .search:
      guard case .string(let text) = left, case .string(let other) = right else { return false }
      return try holds(text, `operator`, other, options)
    }
  }

  /// Whether a value is another one, or in the list that the other holds.
  package static func isElement(
    _ value: AttributeValue, of other: AttributeValue, _ options: ComparisonOptions
  ) -> Bool {
    equal(value, other, options) || other.holds(value)
  }

  private static func holds(
    _ text: String, _ operator: FetchOperator, _ other: String, _ options: ComparisonOptions
  ) throws(QueryError) -> Bool {
    switch `operator` {
    case .like: return TextPattern.like(text, other, options)
    case .matches: return try TextPattern.matches(text, other, options)
    case .search: return TextQuery(other).matches(text)
    default: break
    }
    // By Unicode scalars, as everything without options.
    let bytes = Array(TextFolding.fold(text, options).utf8)
    let wanted = Array(TextFolding.fold(other, options).utf8)
    guard bytes.count >= wanted.count else { return false }
    switch `operator` {
    case .beginsWith: return bytes.starts(with: wanted)
    case .endsWith: return bytes.suffix(wanted.count).elementsEqual(wanted)
    default: return (0...(bytes.count - wanted.count)).contains { bytes[$0...].starts(with: wanted) }
    }
  }

  private static func equal(
    _ left: AttributeValue, _ right: AttributeValue, _ options: ComparisonOptions
  ) -> Bool {
    if options.folds, case .string(let a) = left, case .string(let b) = right {
      return TextFolding.fold(a, options).utf8.elementsEqual(TextFolding.fold(b, options).utf8)
    }
    return ValueOrder.equal(left, right)
  }

  /// As `ValueOrder.compare`, over folded text.
  package static func order(
    _ left: AttributeValue, _ right: AttributeValue, _ options: ComparisonOptions
  ) -> Int? {
    if options.folds, case .string(let a) = left, case .string(let b) = right {
      return ValueOrder.compare(
        .string(TextFolding.fold(a, options)), .string(TextFolding.fold(b, options)))
    }
    return ValueOrder.compare(left, right)
  }
}
