import Foundation
public import ObjectModel

/// An order whose names have been looked up for an entity.
public struct ResolvedSort: Sendable {
  private let keys: [(value: ResolvedExpression, sort: FetchSortDescriptor)]
  /// Whether level objects come in the order they were inserted: keys after one for the object itself are
  /// left out.
  private let isByAge: Bool

  /// Resolves the names.
  /// - Throws: `QueryError` when a property is unknown or crosses a to-many relationship without an
  ///   aggregate.
  public init(_ sort: [FetchSortDescriptor], for entity: EntityDescription) throws {
    let scope = ResolutionScope(entity)
    let identity = sort.firstIndex { $0.keyPath.isEmpty }
    isByAge = identity.map { sort[$0].ascending } ?? true
    let end = identity ?? sort.endIndex
    keys = try sort[..<end].map { (try Self.value(of: $0, scope), $0) }
    for descriptor in sort[end...] where !descriptor.keyPath.isEmpty {
      _ = try Self.value(of: descriptor, scope)
    }
  }

  private static func value(
    of sort: FetchSortDescriptor, _ scope: ResolutionScope
  ) throws -> ResolvedExpression {
    let value = try ResolvedExpression(.keyPath(sort.keyPath), scope)
    guard !value.isPlural else {
      throw QueryError(
        .typeMismatch, "a sort descriptor that crosses a to-many relationship needs an aggregate")
    }
    if let attribute = value.opaque { throw QueryError.opaque(attribute) }
    return value
  }

  /// Whether one object comes before another.
  ///
  /// Level objects come in the order they were inserted, new ones last, unless the reverse is asked for.
  /// - Throws: what reading the objects throws.
  public func areInIncreasingOrder(_ left: any QueryObject, _ right: any QueryObject) throws -> Bool {
    for (value, sort) in keys {
      if let isBefore = try sort.areInIncreasingOrder(value.value([left]), value.value([right])) {
        return isBefore
      }
    }
    let (a, b) =
      isByAge
      ? (left.queryReference, right.queryReference) : (right.queryReference, left.queryReference)
    if (a < 0) != (b < 0) { return b < 0 }
    return a < 0 ? a > b : a < b
  }
}

extension FetchSortDescriptor {
  /// Nil for values that are level.
  func areInIncreasingOrder(_ left: AttributeValue, _ right: AttributeValue) -> Bool? {
    if left.isNull || right.isNull {
      if left.isNull, right.isNull { return nil }
      let isFirst = nulls == .least ? ascending : nulls == .first
      return left.isNull == isFirst
    }
    let order = compare(left, right)
    return order == 0 ? nil : (order < 0) == ascending
  }

  private func compare(_ left: AttributeValue, _ right: AttributeValue) -> Int {
    if comparator != .scalars, case .string(let a) = left, case .string(let b) = right {
      return comparator.compare(TextFolding.fold(a, options), TextFolding.fold(b, options))
    }
    return ValueComparison.order(left, right, options) ?? ValueOrder.order(left, right)
  }
}

extension FetchSortDescriptor.Comparator {
  /// -1, 0 or 1.
  package func compare(_ left: String, _ right: String) -> Int {
    switch self {
    case .scalars: ValueOrder.compare(.string(left), .string(right)) ?? 0
    case .localized: left.compare(right, locale: .current).rawValue
    case .localizedStandard:
      left.compare(
        right, options: [.caseInsensitive, .numeric, .widthInsensitive, .forcedOrdering], locale: .current
      ).rawValue
    }
  }
}
