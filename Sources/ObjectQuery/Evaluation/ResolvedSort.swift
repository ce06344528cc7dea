public import ObjectModel

/// An order whose names have been looked up for an entity.
public struct ResolvedSort: Sendable {
  private let keys: [(path: ResolvedPath, sort: FetchSort)]

  /// Looks the names up.
  /// - Throws: `QueryError` when a property is unknown or leads over a to-many.
  public init(_ sort: [FetchSort], for entity: Entity) throws {
    keys = try sort.map { sort in
      let path = try ResolvedPath(sort.keyPath, from: entity)
      guard !path.isPlural else { throw QueryError(.typeMismatch, "an order cannot lead over a to-many") }
      return (path, sort)
    }
  }

  /// Whether one object comes before another. Level objects come in the order they were inserted, new ones last.
  /// - Throws: what reading the objects throws.
  public func areInIncreasingOrder(_ left: any QueryObject, _ right: any QueryObject) throws -> Bool {
    for (path, sort) in keys {
      let order = Self.compare(try path.value(of: left), try path.value(of: right), sort.options)
      if order != 0 { return (order < 0) == sort.ascending }
    }
    let (a, b) = (left.queryReference, right.queryReference)
    if (a < 0) != (b < 0) { return b < 0 }
    return a < 0 ? a > b : a < b
  }

  private static func compare(
    _ left: AttributeValue, _ right: AttributeValue, _ options: ComparisonOptions
  ) -> Int {
    if left.isNull || right.isNull { return left.isNull ? (right.isNull ? 0 : -1) : 1 }
    if !options.isEmpty, case .string(let a) = left, case .string(let b) = right {
      return ValueOrder.compare(.string(ValueOrder.fold(a, options)), .string(ValueOrder.fold(b, options)))
        ?? 0
    }
    return ValueOrder.compare(left, right) ?? 0
  }
}
