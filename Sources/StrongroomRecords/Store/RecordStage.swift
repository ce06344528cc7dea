import ObjectModel
import ObjectQuery
import StoreContract

/// The uncommitted changes of a transaction to one table.
final class RecordStage {
  /// A row that the transaction has read or written.
  struct Row {
    /// The stored row; nil for one that is not stored.
    let stored: IncrementalStoreNode?
    /// The row after the transaction; nil for one that is deleted, or was not stored yet.
    var node: IncrementalStoreNode?
    var reference: Int64
  }

  let table: RecordTable
  /// In the order in which the transaction saw them first, which is the order they are inserted in.
  private(set) var rows: [Row] = []
  private var positions: [RowKey: Int] = [:]
  /// Whether the table had no rows, so that every stored row is one that the transaction has seen.
  private var isNew = false

  init(_ table: RecordTable) { self.table = table }

  /// The row of a key that the transaction has seen.
  func row(_ key: RowKey) -> Row? { positions[key].map { rows[$0] } }

  /// What the transaction stores at a position.
  func set(_ position: Int, _ node: IncrementalStoreNode) { rows[position].node = node }

  /// How many keys one statement looks up.
  ///
  /// Lists are padded with their last key to one of these lengths, since each length is a statement
  /// that the engine prepares.
  private static let lengths = [1, 32, 1000]

  /// Reads the stored rows of keys that the transaction has not seen.
  ///
  /// One statement for each thousand of them; a single one where many are asked of an empty table.
  func lookUp(_ keys: [RowKey], in store: RecordStore) throws {
    if !isNew, rows.isEmpty, keys.count > Self.lengths[1] {
      let any = FetchRequest(table.entity.name, fetchLimit: 1)
      // What another program inserts from now on makes the save throw `notUnique`.
      isNew = try store.coordinator.fetchObjectIDs(any).isEmpty
    }
    if isNew { return }
    let unknown = positions.isEmpty ? keys : keys.filter { positions[$0] == nil }
    let maximum = Self.lengths[2]
    for start in stride(from: 0, to: unknown.count, by: maximum) {
      var part = unknown[start..<min(start + maximum, unknown.count)].map { FetchExpression.value($0.value) }
      let length = Self.lengths.first { $0 >= part.count } ?? maximum
      part += Array(repeating: part[part.count - 1], count: length - part.count)
      let condition = FetchPredicate.comparison(
        FetchComparison(.keyPath([table.schema.key]), .in, .list(part)))
      var request = FetchRequest(table.entity.name, where: condition)
      request.includesSubentities = false
      for node in try store.nodes(request) {
        add(Row(stored: node, node: node, reference: node.reference), at: key(of: node))
      }
    }
  }

  /// The positions of keys, with new references for those that have no row.
  ///
  /// A statement or two where there are such keys.
  func positions(of keys: [RowKey], from coordinator: PersistentStoreCoordinator) throws -> [Int] {
    // Reserved each time, they would not grow by a factor.
    if rows.isEmpty {
      rows.reserveCapacity(keys.count)
      positions.reserveCapacity(keys.count)
    }
    let known = rows.count
    let places = keys.map { positions[$0] ?? add(Row(stored: nil, node: nil, reference: 0), at: $0) }
    if rows.count == known { return places }
    do {
      let entities = Array(repeating: table.entity, count: rows.count - known)
      let ids = try coordinator.persistentStore(for: table.entity).obtainPermanentIDs(for: entities)
      for (position, id) in zip(known..., ids) { rows[position].reference = id.reference }
    } catch {
      rows.removeSubrange(known...)
      positions = positions.filter { $0.value < known }
      throw error
    }
    return places
  }

  @discardableResult
  private func add(_ row: Row, at key: RowKey) -> Int {
    positions[key] = rows.count
    rows.append(row)
    return rows.count - 1
  }

  private func key(of node: IncrementalStoreNode) -> RowKey { RowKey(value: node.value(of: table.key)) }

  /// Deletes the row of a key that was looked up.
  func remove(_ key: RowKey) {
    if let position = positions[key] { rows[position].node = nil }
  }

  /// Deletes a row that was read.
  func remove(_ node: IncrementalStoreNode) {
    let key = key(of: node)
    if positions[key] == nil { add(Row(stored: node, node: nil, reference: node.reference), at: key) }
    remove(key)
  }

  /// The rows that a request matches, uncommitted changes included.
  ///
  /// One statement; with changes it reads all rows that meet the condition.
  func nodes(_ request: FetchRequest, in store: RecordStore) throws -> [IncrementalStoreNode] {
    if rows.isEmpty { return try store.nodes(request) }
    var all = request
    all.sortDescriptors = []
    all.fetchLimit = nil
    all.fetchOffset = 0
    let known = Set(rows.map(\.reference))
    let others = try store.nodes(all).filter { !known.contains($0.reference) }
    let changed = rows.compactMap(\.node)
    let together = (others + changed).sorted { $0.reference < $1.reference }
    let source = try store.coordinator.persistentStore(for: table.entity)
    return try FetchEvaluation(request, entity: table.entity).nodes(together, in: source)
  }

  /// Adds the changes to a save, with inserted rows in the order they were pushed.
  func add(to save: inout SaveChangesRequest) {
    for row in rows {
      switch (row.stored, row.node) {
      case (nil, let node?): save.inserted.append(node)
      case (let stored?, nil):
        save.deleted.append(LockedObject(objectID: stored.objectID, version: stored.version))
      case (let stored?, let node?) where !node.isIdentical(to: stored):
        save.updated.append(UpdatedObject(node: node, changedFields: table.changed))
      default: break
      }
    }
  }
}
