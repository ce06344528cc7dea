import ObjectModel
import ObjectQuery
import StoreContract

/// What a transaction has done to one table so far.
final class RecordStage {
  /// A row that the transaction knows of.
  struct Row {
    /// As it is in the store; nil for one that is not there.
    var stored: IncrementalStoreNode?
    /// As it is to be; nil for one that is to go.
    var node: IncrementalStoreNode?

    var reference: Int64? { (stored ?? node)?.reference }
  }

  let table: RecordTable
  var rows: [RowKey: Row] = [:]
  /// The keys in the order they were pushed; some more than once, and some are deleted again.
  var order: [RowKey] = []

  init(_ table: RecordTable) { self.table = table }

  /// How many keys one statement asks for: a length of its own is a statement of its own to the
  /// engine, so lists are filled up with their last key to one of these.
  private static let lengths = [1, 32, 1000]

  /// Finds out which keys are stored. One statement for each thousand of those not known yet.
  func look(for keys: [AttributeValue], in store: RecordStore) throws {
    let unknown = keys.filter { rows[RowKey($0)] == nil }
    let most = Self.lengths[2]
    for start in stride(from: 0, to: unknown.count, by: most) {
      var part = unknown[start..<min(start + most, unknown.count)].map { FetchExpression.value($0) }
      let length = Self.lengths.first { $0 >= part.count } ?? most
      part += Array(repeating: part[part.count - 1], count: length - part.count)
      let condition = FetchPredicate.comparison(
        FetchComparison(.keyPath([table.shape.key]), .in, .list(part)))
      var request = FetchRequest(table.entity.name, where: condition)
      request.includesSubentities = false
      for node in try store.nodes(request) { rows[key(of: node)] = Row(stored: node, node: node) }
    }
  }

  /// Numbers for those of the keys that have no row.
  func new(_ keys: [AttributeValue], _ coordinator: PersistentStoreCoordinator) throws -> [Int64] {
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

  /// What a request finds, with what was done so far.
  func nodes(_ request: FetchRequest, in store: RecordStore) throws -> [IncrementalStoreNode] {
    if rows.isEmpty { return try store.nodes(request) }
    var all = request
    all.sortDescriptors = []
    all.fetchLimit = nil
    all.fetchOffset = 0
    let known = Set(rows.values.compactMap(\.reference))
    let others = try store.nodes(all).filter { !known.contains($0.reference) }
    let own = rows.values.compactMap(\.node)
    let together = (others + own).sorted { $0.reference < $1.reference }
    let evaluation = try FetchEvaluation(request, entity: table.entity)
    let source = try store.coordinator.persistentStore(for: table.entity)
    guard case .nodes(let nodes) = try evaluation.result(together, in: source) else { return [] }
    return nodes
  }

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
