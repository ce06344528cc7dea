public import Foundation
import ObjectModel
public import ObjectQuery
import StoreContract

/// What a transaction writes and reads by. Reads see what was written before them in the same
/// transaction.
///
/// Not Sendable, and not to be stored: it belongs to the closure it is given to.
public final class RecordTransaction {
  private let store: RecordStore
  private var stages: [ObjectIdentifier: RecordStage] = [:]
  private let builder = NodeBuilder()
  private var isOver = false

  init(_ store: RecordStore) { self.store = store }

  /// Stores a value: a new key is inserted, a known one updated.
  /// - Throws: as `RecordStore.push(_:)`.
  public func push<Value: Record>(_ value: Value) throws { try push([value]) }

  /// Stores values; of several with one key the last stays. One statement for each thousand keys
  /// that were not seen yet.
  /// - Throws: as `RecordStore.push(_:)`.
  public func push<Value: Record>(_ values: some Sequence<Value>) throws {
    let stage = try stage(Value.self)
    let values = Array(values)
    let keys = try values.map { try stage.table.key(of: $0) }
    try stage.look(for: keys, in: store)
    let coordinator = try store.coordinator
    var new = try stage.new(keys, coordinator)[...]
    for (value, key) in zip(values, keys) {
      let key = RowKey(key)
      let row = stage.rows[key]
      let reference = row?.reference ?? new.popFirst() ?? 0
      let node = try stage.table.node(value, over: row?.stored, reference: reference, builder)
      stage.rows[key] = RecordStage.Row(stored: row?.stored, node: node)
      stage.order.append(key)
    }
  }

  /// Deletes a value by its key; what is not stored is no error. One statement when the key was not
  /// seen yet, and one at the end.
  /// - Throws: `ValuesError`, `StoreError`.
  public func delete<Value: Record>(_ value: Value) throws { try delete([value]) }

  /// Deletes values by their keys. One statement for each thousand keys that were not seen yet, and
  /// one for each value at the end.
  /// - Throws: as `delete(_:)`.
  public func delete<Value: Record>(_ values: some Sequence<Value>) throws {
    let stage = try stage(Value.self)
    let keys = try values.map { try stage.table.key(of: $0) }
    try stage.look(for: keys, in: store)
    for key in keys { stage.remove(RowKey(key)) }
  }

  /// Deletes the values that meet a condition, and returns how many. One statement, and one for
  /// each value.
  /// - Throws: as `RecordStore.fetch`.
  @discardableResult
  public func delete<Value: Record>(_ type: Value.Type, where predicate: Predicate<Value>) throws -> Int {
    try delete(type, RecordQuery.condition(predicate))
  }

  /// The same by a typed closure. One statement, and one for each value.
  /// - Throws: as with a predicate.
  @discardableResult
  public func delete<Value: Record>(
    _ type: Value.Type, _ condition: (TypedExpression<Value>) -> some FetchCondition
  ) throws -> Int {
    try delete(type, FetchPredicate(for: type, condition))
  }

  /// Deletes all values of a type, and returns how many. One statement, and one for each value.
  /// - Throws: `ValuesError`, `StoreError`.
  @discardableResult
  public func clear<Value: Record>(_ type: Value.Type) throws -> Int { try delete(type, nil) }

  /// Values that meet a condition, in an order. One statement.
  /// - Throws: as `RecordStore.fetch`.
  public func fetch<Value: Record>(
    _ type: Value.Type, where predicate: Predicate<Value>? = nil, sortBy: [SortDescriptor<Value>] = [],
    limit: Int? = nil, offset: Int = 0
  ) throws -> [Value] {
    let stage = try stage(type)
    let request = try RecordQuery.request(
      type, stage.table, RecordQuery.condition(predicate), sortBy, limit: limit, offset: offset)
    return try stage.nodes(request, in: store).map { try stage.table.value(type, of: $0) }
  }

  /// The value of a key; nil when there is none. One statement, or none for a key that was written
  /// before.
  /// - Throws: as `RecordStore.fetch`.
  public func fetch<Value: Record>(_ type: Value.Type, key: Value.Key) throws -> Value? {
    let stage = try stage(type)
    let key = try ColumnForm.encode(key)
    if let row = stage.rows[RowKey(key)] { return try row.node.map { try stage.table.value(type, of: $0) } }
    let request = try RecordQuery.request(
      type, stage.table, stage.table.condition(key), limit: 1)
    return try store.nodes(request).first.map { try stage.table.value(type, of: $0) }
  }

  /// How many values meet a condition. One statement, which reads them.
  /// - Throws: as `RecordStore.fetch`.
  public func count<Value: Record>(_ type: Value.Type, where predicate: Predicate<Value>? = nil) throws -> Int
  {
    let stage = try stage(type)
    let request = try RecordQuery.request(type, stage.table, RecordQuery.condition(predicate))
    return try stage.nodes(request, in: store).count
  }

  private func delete<Value: Record>(_ type: Value.Type, _ condition: FetchPredicate?) throws -> Int {
    let stage = try stage(type)
    let nodes = try stage.nodes(RecordQuery.request(type, stage.table, condition), in: store)
    for node in nodes { stage.remove(stage.key(of: node), stored: node) }
    return nodes.count
  }

  private func stage<Value: Record>(_ type: Value.Type) throws -> RecordStage {
    if isOver {
      throw ValuesError(
        .closed, "the transaction is over; use what it is given inside its closure only, or begin another")
    }
    if let known = stages[ObjectIdentifier(type)] { return known }
    let new = RecordStage(try store.table(type))
    stages[ObjectIdentifier(type)] = new
    return new
  }

  /// Whatever is asked of it afterwards throws.
  func end() { isOver = true }

  /// One save of everything.
  func commit() throws {
    var save = SaveChangesRequest()
    for stage in stages.values { stage.add(to: &save) }
    if save.isEmpty { return }
    _ = try store.coordinator.execute(save)
  }
}
