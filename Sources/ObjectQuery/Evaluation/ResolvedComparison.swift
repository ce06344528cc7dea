import ObjectModel

/// A comparison whose names have been looked up.
struct ResolvedComparison: Sendable {
  private let left: ResolvedExpression
  private let right: ResolvedExpression
  private let comparison: FetchComparison
  /// The set that looks up a long list of constants.
  private let values: ValueSet?

  init(_ comparison: FetchComparison, _ scope: ResolutionScope) throws {
    self.comparison = comparison
    left = try ResolvedExpression(comparison.left, scope)
    right = try ResolvedExpression(comparison.right, scope)
    values = comparison.operator == .in ? right.constants.flatMap { ValueSet($0, comparison.options) } : nil
    try checkOpaque()
    if left.isPlural, comparison.modifier == .direct {
      throw QueryError(.typeMismatch, "a key path that crosses a to-many relationship needs ANY or ALL")
    }
    switch comparison.operator {
    case .in: break
    case .between:
      guard case .list(let bounds) = right, bounds.count == 2, !bounds.contains(where: \.isPlural) else {
        throw QueryError(.typeMismatch, "BETWEEN takes a list of two")
      }
    default:
      if right.isPlural {
        throw QueryError(
          .typeMismatch, "a key path that crosses a to-many relationship must be on the left, or after IN")
      }
    }
    if comparison.operator == .matches, case .value(.string(let pattern)) = right {
      do { _ = try TextPattern.expression(pattern, comparison.options) } catch {
        throw QueryError(.syntax, "the regular expression is wrong", cause: error)
      }
    }
  }

  /// - Throws: `QueryError` for a comparison of a transformable value that its bytes cannot answer.
  private func checkOpaque() throws {
    guard let attribute = left.opaque ?? right.opaque else { return }
    let isAnswered =
      switch comparison.operator {
      case .equal, .notEqual: true
      // IN with a plural side that is no list would search in JSON.
      case .in: if case .list = right { true } else { right.isPlural }
      default: false
      }
    let isPlain = comparison.options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
    guard isAnswered, isPlain, left.mayEqual(attribute), right.mayEqual(attribute) else {
      throw QueryError.opaque(attribute)
    }
  }

  func matches(_ objects: [any QueryObject]) throws -> Bool {
    switch comparison.operator {
    case .in:
      if let values, comparison.modifier == .direct, let isFound = values.contains(try left.value(objects)) {
        isFound
      } else {
        try compare(objects, try right.values(objects))
      }
    case .between: try compare(objects, try right.values(objects))
    default: try compare(objects, [try right.value(objects)])
    }
  }

  private func compare(_ objects: [any QueryObject], _ right: [AttributeValue]) throws -> Bool {
    switch comparison.modifier {
    case .direct: try compare(left.value(objects), right)
    case .any: try left.values(objects).contains { try compare($0, right) }
    case .all: try left.values(objects).allSatisfy { try compare($0, right) }
    }
  }

  private func compare(_ left: AttributeValue, _ right: [AttributeValue]) throws -> Bool {
    let options = comparison.options
    return switch comparison.operator {
    case .in: right.contains { ValueComparison.isElement(left, of: $0, options) }
    case .between:
      try right.count == 2 && ValueComparison.holds(left, .greaterOrEqual, right[0], options)
        && ValueComparison.holds(left, .lessOrEqual, right[1], options)
    default: try ValueComparison.holds(left, comparison.operator, right[0], options)
    }
  }
}

extension ResolvedExpression {
  /// The values of a list of nothing but constants.
  fileprivate var constants: [AttributeValue]? {
    guard case .list(let items) = self else { return nil }
    var result: [AttributeValue] = []
    for item in items {
      guard case .value(let value) = item else { return nil }
      result.append(value)
    }
    return result
  }
}
