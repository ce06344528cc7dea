public import Foundation
public import ObjectQuery
import StoreContract

extension RecordStore {
  /// Returns the values that match a predicate.
  ///
  /// One statement.
  ///
  ///     try store.fetch(
  ///       Book.self, where: #Predicate { $0.pages > 300 }, sortBy: [SortDescriptor(\.title)],
  ///       fetchLimit: 10)
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - predicate: A condition on stored properties, and on what is inside those stored as JSON.
  ///     Its values are bound to the statement.
  ///   - sortDescriptors: The order; values that compare equal are in order of insertion. Strings
  ///     without a comparator are sorted as `localizedStandard`.
  ///   - fetchLimit: The maximum number of values; nil for all.
  ///   - fetchOffset: The number of values skipped.
  /// - Returns: The values, decoded.
  /// - Throws: `QueryError` for a predicate without translation; `RecordError`: `notRegistered`,
  ///   `unknownProperty`, `closed`, and `undecodable` when a row cannot be decoded.
  public func fetch<Value: Record>(
    _ type: Value.Type, where predicate: Predicate<Value>? = nil,
    sortBy sortDescriptors: [SortDescriptor<Value>] = [], fetchLimit: Int? = nil, fetchOffset: Int = 0
  ) throws -> [Value] {
    let condition = try RecordQuery.condition(predicate)
    let table = try table(type)
    let request = try RecordQuery.request(
      type, table, condition, sortDescriptors, fetchLimit: fetchLimit, fetchOffset: fetchOffset)
    return try values(type, table, request)
  }

  /// Returns the values that meet a typed condition: `fetch(Book.self) { $0.pages > 300 &&
  /// $0.tags.contains("new") }`.
  ///
  /// One statement.
  /// - Throws: as `fetch(_:where:sortBy:fetchLimit:fetchOffset:)`.
  public func fetch<Value: Record>(
    _ type: Value.Type, sortBy sortDescriptors: [SortDescriptor<Value>] = [], fetchLimit: Int? = nil,
    fetchOffset: Int = 0, _ condition: (TypedExpression<Value>) -> some FetchCondition
  ) throws -> [Value] {
    let condition = FetchPredicate(for: type, condition)
    let table = try table(type)
    let request = try RecordQuery.request(
      type, table, condition, sortDescriptors, fetchLimit: fetchLimit, fetchOffset: fetchOffset)
    return try values(type, table, request)
  }

  /// Returns the value with a primary key; nil when there is none.
  ///
  /// One statement.
  /// - Throws: `RecordError`: `notRegistered`, `undecodable`, `closed`; `StoreError`.
  public func fetch<Value: Record>(_ type: Value.Type, key: Value.Key) throws -> Value? {
    let table = try table(type)
    return try decoded(type, table, table.request(for: ColumnForm.encode(key))).first
  }

  /// Returns the number of values that match a predicate.
  ///
  /// One statement.
  /// - Throws: as `fetch(_:where:sortBy:fetchLimit:fetchOffset:)`.
  public func count<Value: Record>(_ type: Value.Type, where predicate: Predicate<Value>? = nil) throws -> Int
  {
    try count(type, RecordQuery.condition(predicate))
  }

  /// Returns the number of values that meet a typed condition.
  ///
  /// One statement.
  /// - Throws: as `fetch(_:where:sortBy:fetchLimit:fetchOffset:)`.
  public func count<Value: Record>(
    _ type: Value.Type, _ condition: (TypedExpression<Value>) -> some FetchCondition
  ) throws -> Int {
    try count(type, FetchPredicate(for: type, condition))
  }

  private func values<Value: Record>(
    _ type: Value.Type, _ table: RecordTable, _ request: FetchRequest
  ) throws -> [Value] {
    var request = request
    request.propertiesToFetch = table.expressions
    // Without a condition a second statement would estimate the number of rows.
    request.predicate = request.predicate ?? .constant(true)
    return try decoded(type, table, request)
  }

  /// The values of a request for a table's columns.
  private func decoded<Value: Record>(
    _ type: Value.Type, _ table: RecordTable, _ request: FetchRequest
  ) throws -> [Value] {
    var values: [Value] = []
    var decoder: RowDecoder?
    defer { decoder?.stop() }
    try coordinator.persistentStore(for: table.entity).enumerateRows(request, begin: { _ in }) { row in
      // A value may retain the decoder of its row.
      if isKnownUniquelyReferenced(&decoder) {
        decoder?.start(row)
      } else {
        decoder?.stop()
        decoder = RowDecoder(table, row, places: table.places)
      }
      if let decoder { values.append(try table.value(type, of: decoder)) }
      return true
    }
    return values
  }

  private func count<Value: Record>(_ type: Value.Type, _ condition: FetchPredicate?) throws -> Int {
    var request = try RecordQuery.request(type, table(type), condition)
    request.resultType = .count
    let count = try coordinator.count(for: request)
    return count
  }

  func nodes(_ request: FetchRequest) throws -> [IncrementalStoreNode] {
    let nodes = try coordinator.fetchNodes(request)
    return nodes
  }
}
