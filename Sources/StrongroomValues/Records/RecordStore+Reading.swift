public import Foundation
public import ObjectQuery
import StoreContract

extension RecordStore {
  /// Values that meet a condition, in an order. One statement.
  ///
  ///     try store.fetch(Book.self, where: #Predicate { $0.pages > 300 }, sortBy: [SortDescriptor(\.title)], limit: 10)
  ///
  /// - Parameters:
  ///   - predicate: Over stored properties, and what lies inside those stored as JSON; bound, never
  ///     text.
  ///   - sortBy: Texts without a comparator sort as people expect it of names; in order of
  ///     insertion where level.
  /// - Throws: `QueryError` for what a store cannot be asked; `ValuesError`: `notRegistered`,
  ///   `unknownProperty`, and `undecodable` when a row makes no value.
  public func fetch<Value: Record>(
    _ type: Value.Type, where predicate: Predicate<Value>? = nil, sortBy: [SortDescriptor<Value>] = [],
    limit: Int? = nil, offset: Int = 0
  ) throws -> [Value] {
    let condition = try RecordQuery.condition(predicate)
    return try values(type, condition, sortBy, limit, offset)
  }

  /// The same by a typed closure: `fetch(Book.self) { $0.pages > 300 && $0.tags.contains("new") }`.
  /// One statement.
  /// - Throws: as with a predicate.
  public func fetch<Value: Record>(
    _ type: Value.Type, sortBy: [SortDescriptor<Value>] = [], limit: Int? = nil, offset: Int = 0,
    _ condition: (TypedExpression<Value>) -> some FetchCondition
  ) throws -> [Value] {
    try values(type, FetchPredicate(for: type, condition), sortBy, limit, offset)
  }

  /// The value of a key; nil when there is none. One statement.
  /// - Throws: `ValuesError`: `notRegistered`, `undecodable`.
  public func fetch<Value: Record>(_ type: Value.Type, key: Value.Key) throws -> Value? {
    let table = try table(type)
    return try values(type, table.condition(ColumnForm.encode(key)), [], 1, 0).first
  }

  /// How many values meet a condition. One statement.
  /// - Throws: as `fetch(_:where:sortBy:limit:offset:)`.
  public func count<Value: Record>(_ type: Value.Type, where predicate: Predicate<Value>? = nil) throws -> Int
  {
    try count(type, RecordQuery.condition(predicate))
  }

  /// The same by a typed closure. One statement.
  /// - Throws: as with a predicate.
  public func count<Value: Record>(
    _ type: Value.Type, _ condition: (TypedExpression<Value>) -> some FetchCondition
  ) throws -> Int {
    try count(type, FetchPredicate(for: type, condition))
  }

  private func values<Value: Record>(
    _ type: Value.Type, _ condition: FetchPredicate?, _ sort: [SortDescriptor<Value>], _ limit: Int?,
    _ offset: Int
  ) throws -> [Value] {
    let table = try table(type)
    let request = try RecordQuery.request(type, table, condition, sort, limit: limit, offset: offset)
    return try nodes(request).map { try table.value(type, of: $0) }
  }

  private func count<Value: Record>(_ type: Value.Type, _ condition: FetchPredicate?) throws -> Int {
    var request = try RecordQuery.request(type, table(type), condition)
    request.resultType = .count
    guard case .count(let count) = try coordinator.execute(request) else { return 0 }
    return count
  }

  func nodes(_ request: FetchRequest) throws -> [IncrementalStoreNode] {
    guard case .nodes(let nodes) = try coordinator.execute(request) else { return [] }
    return nodes
  }
}
