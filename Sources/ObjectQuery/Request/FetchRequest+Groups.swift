package import ObjectModel

/// The columns of a dictionary result with those that only its condition asks for.
package struct GroupedColumns {
  /// The columns asked for first, then the others.
  package private(set) var columns: [ExpressionDescription]
  /// How many were asked for.
  package let wanted: Int
  /// The condition, over the columns' names.
  package private(set) var having: FetchPredicate?
  /// What makes the groups.
  package let groups: [FetchExpression]

  /// - Throws: `QueryError` with code `unknownKey` for a condition on anything but a column.
  package init(_ request: FetchRequest, _ entity: EntityDescription) throws(QueryError) {
    let asked =
      request.propertiesToFetch
      ?? entity.attributes.filter { !$0.isTransient }.map { ExpressionDescription($0.name) }
    columns = asked
    wanted = asked.count
    groups = request.propertiesToGroupBy.map { name in
      asked.first { $0.name == name && $0.aggregate == nil }?.expression ?? .path(name)
    }
    guard let condition = request.havingPredicate else { return }
    guard !groups.isEmpty else {
      throw QueryError(.typeMismatch, "a condition on groups needs groups; give propertiesToGroupBy")
    }
    having = try named(condition)
  }

  private mutating func named(_ predicate: FetchPredicate) throws(QueryError) -> FetchPredicate {
    switch predicate {
    case .constant: return predicate
    case .comparison(var comparison):
      comparison.left = try named(comparison.left)
      comparison.right = try named(comparison.right)
      return .comparison(comparison)
    case .and(let parts): return .and(try named(parts))
    case .or(let parts): return .or(try named(parts))
    case .not(let part): return .not(try named(part))
    case .kind: throw QueryError(.unsupported, "a condition on groups is over columns, and none is an object")
    }
  }

  private mutating func named(_ parts: [FetchPredicate]) throws(QueryError) -> [FetchPredicate] {
    var result: [FetchPredicate] = []
    for part in parts { result.append(try named(part)) }
    return result
  }

  private mutating func named(_ parts: [FetchExpression]) throws(QueryError) -> [FetchExpression] {
    var result: [FetchExpression] = []
    for part in parts { result.append(try named(part)) }
    return result
  }

  private mutating func named(_ expression: FetchExpression) throws(QueryError) -> FetchExpression {
    switch expression {
    case .value, .variable: return expression
    case .keyPath(let names):
      let name = names.joined(separator: ".")
      guard columns[..<wanted].contains(where: { $0.name == name }) else {
        throw QueryError(.unknownKey, "the result has no column \(name) for the condition on its groups")
      }
      return .variable(name)
    case .list(let list): return .list(try named(list))
    case .function(let function, let arguments): return .function(function, try named(arguments))
    case .conditional(let condition, let then, let otherwise):
      return .conditional(try named(condition), try named(then), try named(otherwise))
    case .aggregate(let aggregate, let part):
      let name =
        columns.first { $0.aggregate == aggregate && $0.expression == part }?.name ?? "\u{1}\(columns.count)"
      if name.hasPrefix("\u{1}") { columns.append(ExpressionDescription(name, part, aggregate: aggregate)) }
      return .variable(name)
    case .selfObject, .subquery, .element:
      throw QueryError(.unsupported, "a condition on groups is over columns and functions of many values")
    }
  }
}
