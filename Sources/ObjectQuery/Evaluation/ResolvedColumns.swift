import Foundation
public import ObjectModel

/// The columns, groups and aggregates of a dictionary result, looked up for an entity.
public struct ResolvedColumns: Sendable {
  private let request: FetchRequest
  private let columns: [(column: FetchColumn, path: ResolvedPath?)]
  private let groups: [ResolvedPath]
  private let sort: ResolvedSort

  /// Looks the names up.
  /// - Throws: `QueryError` when a property is unknown.
  public init(_ request: FetchRequest, for entity: Entity) throws {
    self.request = request
    let wanted =
      request.propertiesToFetch ?? entity.attributes.filter { !$0.isTransient }.map { FetchColumn($0.name) }
    columns = try wanted.map { column in
      (column, column.keyPath.isEmpty ? nil : try ResolvedPath(column.keyPath, from: entity))
    }
    groups = try request.propertiesToGroupBy.map {
      try ResolvedPath($0.split(separator: ".").map(String.init), from: entity)
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
        let key = try groups.map { try $0.value(of: object) }
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
    let kept = rows.dropFirst(request.offset)
    return Array(request.limit.map { kept.prefix($0) } ?? kept)
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
        let order = Self.compare(left.element[name] ?? .null, right.element[name] ?? .null)
        if order != 0 { return (order < 0) == sort.ascending }
      }
      return left.offset < right.offset
    }.map(\.element)
  }

  private func row(_ objects: [any QueryObject]) throws -> [String: AttributeValue] {
    var row: [String: AttributeValue] = [:]
    for (column, path) in columns {
      let values = try objects.map { object in
        try path.map { try $0.value(of: object) } ?? .reference(object.queryReference)
      }
      guard let aggregate = column.aggregate else {
        row[column.name] = values.first ?? .null
        continue
      }
      let present = values.filter { !$0.isNull }
      row[column.name] =
        aggregate == .sum && present.isEmpty ? Self.zero(path) : Self.aggregate(aggregate, present)
    }
    return row
  }

  /// The sum of no values, of the type that a sum of some has.
  private static func zero(_ path: ResolvedPath?) -> AttributeValue {
    guard case .attribute(let attribute)? = path?.end else { return .integer(0) }
    return switch attribute.type {
    case .decimal: .decimal(0)
    case .double, .float: .double(0)
    default: .integer(0)
    }
  }

  private static func aggregate(_ aggregate: FetchColumn.Aggregate, _ values: [AttributeValue])
    -> AttributeValue
  {
    switch aggregate {
    case .count: return .integer(Int64(values.count))
    case .min: return values.min { (ValueOrder.compare($0, $1) ?? 0) < 0 } ?? .null
    case .max: return values.max { (ValueOrder.compare($0, $1) ?? 0) < 0 } ?? .null
    case .sum: return sum(values)
    case .average:
      if values.isEmpty { return .null }
      switch sum(values) {
      case .integer(let integer): return .double(Double(integer) / Double(values.count))
      case .double(let double): return .double(double / Double(values.count))
      case .decimal(let decimal): return .decimal(decimal / Decimal(values.count))
      default: return .null
      }
    }
  }

  /// Whole while it fits, exact for decimals, else floating.
  private static func sum(_ values: [AttributeValue]) -> AttributeValue {
    var whole: Int64? = 0
    var floating = 0.0
    var exact: Decimal?
    for value in values {
      switch value {
      case .integer(let integer):
        whole = whole.flatMap { total in
          let (sum, overflow) = total.addingReportingOverflow(integer)
          return overflow ? nil : sum
        }
        floating += Double(integer)
      case .boolean(let flag):
        whole = whole.map { $0 + (flag ? 1 : 0) }
        floating += flag ? 1 : 0
      case .double(let double):
        whole = nil
        floating += double
      case .decimal(let decimal): exact = (exact ?? 0) + decimal
      default: return .null
      }
    }
    if let exact { return .decimal(exact) }
    return whole.map(AttributeValue.integer) ?? .double(floating)
  }
}
