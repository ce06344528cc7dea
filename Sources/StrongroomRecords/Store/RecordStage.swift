import ObjectModel
import ObjectQuery
import StoreContract

/// The uncommitted changes of a transaction to one table.
final class RecordStage {
  /// A row that the transaction has read or written.
  struct Row {
    /// The stored row; nil for one that is not stored.
    var stored: IncrementalStoreNode?
    /// The row after the transaction; nil for a deleted one.
    var node: IncrementalStoreNode?

    var reference: Int64? { (stored ?? node)?.reference }
  }

  let table: RecordTable
  var rows: [RowKey: Row] = [:]
  /// The keys in the order they were pushed, with duplicates and with keys deleted later.
  var order: [RowKey] = []

  init(_ table: RecordTable) { self.table = table }

  /// How many keys one statement looks up.
  ///
  /// Lists are padded with their last key to one of these lengths, since each length is a statement
  /// that the engine prepares.
  private static let lengths = [1, 32, 1000]

  /// Reads the stored rows of keys that the transaction has not seen.
  ///
  /// One statement for each thousand of them.
  func lookUp(_ keys: [AttributeValue], in store: RecordStore) throws {
    let unknown = keys.filter { rows[RowKey($0)] == nil }
    let maximum = Self.lengths[2]
    for start in stride(from: 0, to: unknown.count, by: maximum) {
      var part = unknown[start..<min(start + maximum, unknown.count)].map { FetchExpression.value($0) }
      let length = Self.lengths.first { $0 >= part.count } ?? maximum
      part += Array(repeating: part[part.count - 1], count: length - part.count)
      let condition = FetchPredicate.comparison(
        FetchComparison(.keyPath([table.schema.key]), .in, .list(part)))
      var request = FetchRequest(table.entity.name, where: condition)
      request.includesSubentities = false
      for node in try store.nodes(request) { rows[key(of: node)] = Row(stored: node, node: node) }
    }
  }

  /// References for the keys that have no row.
  func newReferences(for keys: [AttributeValue], from coordinator: PersistentStoreCoordinator) throws
    -> [Int64]
  {
    let missing = Set(keys.map(RowKey.init).filter { rows[$0]?.reference == nil })
    if missing.isEmpty { return [] }
    let entities = Array(repeating: table.entity, count: missing.count)
    return try coordinator.persistentStore(for: table.entity).obtainPermanentIDs(for: entities).map(
      \.reference)
  }

  func key(of node: IncrementalStoreNode) -> RowKey { RowKey(node.value(of: table.key)) }

  func remove(_ key: RowKey, stored: IncrementalStoreNode? = nil) {
    if let row = rows[key] {
      rows[key] = Row(stored: row.stored, node: nil)
    } else if let stored {
      rows[key] = Row(stored: stored, node: nil)
    }
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
    let known = Set(rows.values.compactMap(\.reference))
    let others = try store.nodes(all).filter { !known.contains($0.reference) }
    let changed = rows.values.compactMap(\.node)
    let together = (others + changed).sorted { $0.reference < $1.reference }
    let source = try store.coordinator.persistentStore(for: table.entity)
    return try FetchEvaluation(request, entity: table.entity).nodes(together, in: source)
  }

  /// Adds the changes to a save, with inserted rows in the order they were pushed.
  func add(to save: inout SaveChangesRequest) {
    var seen: Set<RowKey> = []
    for key in order where seen.insert(key).inserted {
      guard let row = rows[key], let node = row.node else { continue }
      if let stored = row.stored {
        if node.isIdentical(to: stored) { continue }
        save.updated.append(UpdatedObject(node: node, changedFields: table.changed))
      } else {
        save.inserted.append(node)
      }
    }
    for row in rows.values where row.node == nil {
      guard let stored = row.stored else { continue }
      save.deleted.append(LockedObject(objectID: stored.objectID, version: stored.version))
    }
  }
}
