public import Foundation
import ObjectModel
public import ObjectQuery
import StoreContract

/// Reads and writes of one transaction.
///
/// Reads see the earlier writes of the same transaction.
///
/// Not Sendable: use it only inside the closure that receives it. Afterwards each call throws
/// `RecordError` with code `closed`.
public final class RecordTransaction {
  private let store: RecordStore
  private var stages: [ObjectIdentifier: RecordStage] = [:]
  /// Those that no push is using: a value may push others while it is encoded.
  private var idleBuilders: [NodeBuilder] = []
  private var hasEnded = false

  init(_ store: RecordStore) { self.store = store }

  /// Stores a value: inserts a new key, updates a stored one.
  ///
  /// One statement when the transaction has not seen the key, and one at the end.
  /// - Throws: as `RecordStore.push(_:)`.
  public func push<Value: Record>(_ value: Value) throws { try push([value]) }

  /// Stores values; of several with the same key the last is stored.
  ///
  /// One statement for each thousand keys that the transaction has not seen, of an empty table one
  /// for all, and one for each value at the end.
  /// - Throws: as `RecordStore.push(_:)`.
  @inlinable
  public func push<Value: Record>(_ values: some Sequence<Value>) throws { try push(all: Array(values)) }

  @usableFromInline
  func push<Value: Record>(all values: [Value]) throws {
    let stage = try stage(Value.self)
    let keys = try stage.table.keys(of: values)
    try stage.lookUp(keys, in: store)
    let positions = try stage.positions(of: keys, from: store.coordinator)
    let builder = idleBuilders.popLast() ?? NodeBuilder()
    defer { idleBuilders.append(builder) }
    // All are encoded before one is staged: a program may go on after one that cannot be.
    let nodes = try values.indices.map { index in
      let row = stage.rows[positions[index]]
      return try stage.table.node(values[index], over: row.stored, reference: row.reference, builder)
    }
    for (position, node) in zip(positions, nodes) { stage.set(position, node) }
  }

  /// Deletes a value by its key; a key that is not stored is no error.
  ///
  /// One statement when the transaction has not seen the key, and one at the end.
  /// - Throws: `RecordError`: `notRegistered`, `closed`; `StoreError`.
  public func delete<Value: Record>(_ value: Value) throws { try delete([value]) }

  /// Deletes values by their keys.
  ///
  /// One statement for each thousand keys that the transaction has not seen, and one for each value
  /// at the end.
  /// - Throws: as `delete(_:)` of a value.
  public func delete<Value: Record>(_ values: some Sequence<Value>) throws {
    let stage = try stage(Value.self)
    let keys = try stage.table.keys(of: Array(values))
    try stage.lookUp(keys, in: store)
    for key in keys { stage.remove(key) }
  }

  /// Deletes the values that match a predicate, and returns how many.
  ///
  /// One statement, and one for each value at the end.
  /// - Throws: `QueryError` for a predicate without translation; `RecordError`: `notRegistered`,
  ///   `closed`; `StoreError`.
  @discardableResult
  public func delete<Value: Record>(_ type: Value.Type, where predicate: Predicate<Value>) throws -> Int {
    try delete(type, RecordQuery.condition(predicate))
  }

  /// Deletes the values that meet a typed condition, and returns how many.
  ///
  /// One statement, and one for each value at the end.
  /// - Throws: as `delete(_:where:)`.
  @discardableResult
  public func delete<Value: Record>(
    _ type: Value.Type, _ condition: (TypedExpression<Value>) -> some FetchCondition
  ) throws -> Int {
    try delete(type, FetchPredicate(for: type, condition))
  }

  /// Deletes all values of a type, and returns how many.
  ///
  /// One statement, and one for each value at the end.
  /// - Throws: `RecordError`: `notRegistered`, `closed`; `StoreError`.
  @discardableResult
  public func clear<Value: Record>(_ type: Value.Type) throws -> Int { try delete(type, nil) }

  /// Returns the values that match a predicate.
  ///
  /// One statement.
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - predicate: A condition on stored properties.
  ///   - sortDescriptors: The order; values that compare equal are in order of insertion.
  ///   - fetchLimit: The maximum number of values; nil for all.
  ///   - fetchOffset: The number of values skipped.
  /// - Returns: The values, decoded, with what the transaction wrote.
  /// - Throws: as `RecordStore.fetch(_:where:sortBy:fetchLimit:fetchOffset:)`.
  public func fetch<Value: Record>(
    _ type: Value.Type, where predicate: Predicate<Value>? = nil,
    sortBy sortDescriptors: [SortDescriptor<Value>] = [], fetchLimit: Int? = nil, fetchOffset: Int = 0
  ) throws -> [Value] {
    let stage = try stage(type)
    let request = try RecordQuery.request(
      type, stage.table, RecordQuery.condition(predicate), sortDescriptors, fetchLimit: fetchLimit,
      fetchOffset: fetchOffset)
    return try stage.nodes(request, in: store).map { try stage.table.value(type, of: $0) }
  }

  /// Returns the value with a primary key; nil when there is none.
  ///
  /// One statement, or none for a key that the transaction has seen.
  /// - Throws: as `RecordStore.fetch(_:key:)`.
  public func fetch<Value: Record>(_ type: Value.Type, key: Value.Key) throws -> Value? {
    let stage = try stage(type)
    let key = try ColumnForm.encode(key)
    if let row = stage.row(RowKey(value: key)) {
      return try row.node.map { try stage.table.value(type, of: $0) }
    }
    let request = try RecordQuery.request(
      type, stage.table, stage.table.condition(key), fetchLimit: 1)
    return try store.nodes(request).first.map { try stage.table.value(type, of: $0) }
  }

  /// Returns the number of values that match a predicate.
  ///
  /// One statement, which reads them.
  /// - Throws: as `fetch(_:where:sortBy:fetchLimit:fetchOffset:)`.
  public func count<Value: Record>(_ type: Value.Type, where predicate: Predicate<Value>? = nil) throws -> Int
  {
    let stage = try stage(type)
    let request = try RecordQuery.request(type, stage.table, RecordQuery.condition(predicate))
    return try stage.nodes(request, in: store).count
  }

  private func delete<Value: Record>(_ type: Value.Type, _ condition: FetchPredicate?) throws -> Int {
    let stage = try stage(type)
    let nodes = try stage.nodes(RecordQuery.request(type, stage.table, condition), in: store)
    for node in nodes { stage.remove(node) }
    return nodes.count
  }

  private func stage<Value: Record>(_ type: Value.Type) throws -> RecordStage {
    if hasEnded {
      throw RecordError(
        .closed, "the transaction has ended; use it only inside the closure that receives it")
    }
    if let known = stages[ObjectIdentifier(type)] { return known }
    let new = RecordStage(try store.table(type))
    stages[ObjectIdentifier(type)] = new
    return new
  }

  /// Makes every later call throw.
  func end() { hasEnded = true }

  /// Saves all changes in one transaction of the store.
  func commit() throws {
    var save = SaveChangesRequest()
    for stage in stages.values { stage.add(to: &save) }
    if save.isEmpty { return }
    try store.coordinator.save(save)
  }
}
