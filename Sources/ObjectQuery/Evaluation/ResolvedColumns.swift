import Foundation
public import ObjectModel

/// The columns, groups and aggregates of a dictionary result, looked up for an entity.
public struct ResolvedColumns: Sendable {
  private let request: FetchRequest
  private let columns: [(column: FetchColumn, value: ResolvedExpression)]
  private let groups: [ResolvedExpression]
  private let sort: ResolvedSort

  /// Looks the names up.
  /// - Throws: `QueryError` when a property is unknown.
  public init(_ request: FetchRequest, for entity: Entity) throws {
    self.request = request
    let wanted =
      request.propertiesToFetch ?? entity.attributes.filter { !$0.isTransient }.map { FetchColumn($0.name) }
    let scope = ResolutionScope(entity)
    columns = try wanted.map { column in
      (column, try ResolvedExpression(column.keyPath.isEmpty ? .selfObject : .keyPath(column.keyPath), scope))
    }
    groups = try request.propertiesToGroupBy.map { try ResolvedExpression(.path($0), scope) }
    for (column, value) in columns where value.isPlural {
      throw QueryError(.typeMismatch, "the column \(column.name) leads over a to-many; use an aggregate")
    }
    guard !groups.contains(where: \.isPlural) else {
      throw QueryError(.typeMismatch, "groups cannot be made of what leads over a to-many")
    }
    let isGrouped = !groups.isEmpty || wanted.contains { $0.aggregate != nil }
    sort = try ResolvedSort(isGrouped ? [] : request.sort, for: entity)
  }

  /// The dictionaries over objects that meet the request's predicate.
  /// - Throws: what reading the objects throws.
  public func rows(_ objects: [some QueryObject]) throws -> [[String: AttributeValue]] {
    let aggregates = columns.contains { $0.column.aggregate != nil }
    var rows: [[String: AttributeValue]] = []
    if groups.isEmpty, !aggregates {
      rows = try objects.sorted { try sort.areInIncreasingOrder($0, $1) }.map { try row([$0]) }
    } else if groups.isEmpty {
      rows = [try row(objects)]
    } else {
      var members: [[AttributeValue]: [any QueryObject]] = [:]
      var order: [[AttributeValue]] = []
      for object in objects {
        let key = try groups.map { try $0.value([object]) }
        if members[key] == nil { order.append(key) }
        members[key, default: []].append(object)
      }
      order.sort { Self.precedes($0, $1) }
      rows = sortedGroups(try order.map { try row(members[$0] ?? []) })
    }
    if request.returnsDistinctResults {
      var seen: Set<[String: AttributeValue]> = []
      rows = rows.filter { seen.insert($0).inserted }
    }
    let kept = rows.dropFirst(max(request.offset, 0))
    return Array(request.limit.map { kept.prefix(max($0, 0)) } ?? kept)
  }

  private static func precedes(_ left: [AttributeValue], _ right: [AttributeValue]) -> Bool {
    for (a, b) in zip(left, right) {
      let order = compare(a, b)
      if order != 0 { return order < 0 }
    }
    return false
  }

  private static func compare(_ a: AttributeValue, _ b: AttributeValue) -> Int {
    a.isNull || b.isNull ? (a.isNull ? (b.isNull ? 0 : -1) : 1) : ValueOrder.compare(a, b) ?? 0
  }

  /// Groups are sorted by the columns of their result; what that leaves level stays in the order of the keys.
  private func sortedGroups(_ rows: [[String: AttributeValue]]) -> [[String: AttributeValue]] {
    rows.enumerated().sorted { left, right in
      for sort in request.sort {
        let name = sort.keyPath.joined(separator: ".")
        if let isBefore = sort.areInIncreasingOrder(left.element[name] ?? .null, right.element[name] ?? .null)
        {
          return isBefore
        }
      }
      return left.offset < right.offset
    }.map(\.element)
  }

  private func row(_ objects: [any QueryObject]) throws -> [String: AttributeValue] {
    var row: [String: AttributeValue] = [:]
    for (column, value) in columns {
      let values = try objects.map { try value.value([$0]) }
      guard let aggregate = column.aggregate else {
        row[column.name] = values.first ?? .null
        continue
      }
      row[column.name] = aggregate.value(of: values.filter { !$0.isNull }, type: value.attributeType)
    }
    return row
  }
}
