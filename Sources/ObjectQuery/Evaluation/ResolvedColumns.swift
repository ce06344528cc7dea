import Foundation
public import ObjectModel

/// The columns, groups and aggregates of a dictionary result, looked up for an entity.
public struct ResolvedColumns: Sendable {
  private let request: FetchRequest
  private let columns: [(column: ExpressionDescription, value: ResolvedExpression)]
  private let groups: [ResolvedExpression]
  private let sort: ResolvedSort
  private let entity: EntityDescription
  private let wanted: Int
  private let having: FetchPredicate?

  /// Resolves the names.
  /// - Throws: `QueryError` when a property is unknown.
  public init(_ request: FetchRequest, for entity: EntityDescription) throws {
    self.request = request
    self.entity = entity
    let grouped = try GroupedColumns(request, entity)
    wanted = grouped.wanted
    having = grouped.having
    let scope = ResolutionScope(entity)
    columns = try grouped.columns.map { ($0, try ResolvedExpression($0.expression, scope)) }
    groups = try grouped.groups.map { try ResolvedExpression($0, scope) }
    for (column, value) in columns {
      guard let aggregate = column.aggregate, aggregate != .count, let attribute = value.opaque else {
        continue
      }
      throw QueryError.opaque(attribute)
    }
    for (column, value) in columns where value.isPlural {
      throw QueryError(
        .typeMismatch, "the column \(column.name) crosses a to-many relationship; use an aggregate")
    }
    guard !groups.contains(where: \.isPlural) else {
      throw QueryError(.typeMismatch, "a key path to group by must not cross a to-many relationship")
    }
    let isGrouped = !groups.isEmpty || columns.contains { $0.column.aggregate != nil }
    sort = try ResolvedSort(isGrouped ? [] : request.sortDescriptors, for: entity)
  }

  /// The dictionaries over objects that meet the request's predicate.
  /// - Throws: what reading the objects throws.
  public func rows(_ objects: [some QueryObject]) throws -> [[String: AttributeValue]] {
    let aggregates = columns.contains { $0.column.aggregate != nil }
    var rows: [[String: AttributeValue]] = []
    if groups.isEmpty, !aggregates {
      let isRanked = request.search != nil
      let sorted = isRanked ? objects : try objects.sorted { try sort.areInIncreasingOrder($0, $1) }
      rows = try sorted.map { try row([$0]) }
    } else if groups.isEmpty {
      rows = [try row(objects)]
    } else {
      var members: [ExactValues: [any QueryObject]] = [:]
      var order: [ExactValues] = []
      for object in objects {
        let key = ExactValues(try groups.map { try $0.value([object]) })
        if members[key] == nil { order.append(key) }
        members[key, default: []].append(object)
      }
      order.sort { Self.precedes($0.values, $1.values) }
      rows = sortedGroups(try order.map { try row(members[$0] ?? []) }.filter(hasWhatIsAsked))
      if columns.count > wanted {
        rows = rows.map { row in row.filter { !$0.key.hasPrefix("\u{1}") } }
      }
    }
    if request.returnsDistinctResults { rows = distinct(rows) }
    return request.page(of: rows)
  }

  /// The first of each set of equal rows.
  package func distinct(_ rows: [[String: AttributeValue]]) -> [[String: AttributeValue]] {
    var seen: Set<ExactValues> = []
    let names = columns[..<wanted].map(\.column.name)
    return rows.filter { row in seen.insert(ExactValues(names.map { row[$0] ?? .null })).inserted }
  }

  /// Whether a group meets the having predicate.
  private func hasWhatIsAsked(_ row: [String: AttributeValue]) throws -> Bool {
    guard let having else { return true }
    // The names are those of columns now, so no object is read.
    return try ResolvedPredicate(having, for: entity, variables: row).matches([])
  }

  private static func precedes(_ left: [AttributeValue], _ right: [AttributeValue]) -> Bool {
    for (a, b) in zip(left, right) {
      let order = compare(a, b)
      if order != 0 { return order < 0 }
    }
    return false
  }

  private static func compare(_ a: AttributeValue, _ b: AttributeValue) -> Int {
    a.isNull && b.isNull ? 0 : ValueOrder.order(a, b)
  }

  /// Sorts groups by the columns of their result; equal ones stay in the order of the keys.
  private func sortedGroups(_ rows: [[String: AttributeValue]]) -> [[String: AttributeValue]] {
    rows.enumerated().sorted { left, right in
      for sort in request.sortDescriptors {
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
