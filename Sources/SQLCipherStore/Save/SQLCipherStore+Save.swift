import CipherDatabase
import ObjectModel
public import StoreContract

extension SQLCipherStore {
  /// One transaction: removals, then changes, then new objects, then links, with one prepared
  /// statement per entity and kind (for changes: per entity and set of changed columns), each run
  /// once per object in key order.
  /// - Throws: `conflict` when a row has another version than the one it was read with, `notUnique`
  ///   when a uniqueness constraint would break; nothing is changed then.
  private func write(
    _ save: SaveChangesRequest, in opened: Opened, beforeCommit: () throws -> Void
  ) throws {
    if storeDescription.isReadOnly { throw StoreError(.readOnly, "the store is open for reading only") }
    let metadata = save.metadata.map(StoreMetadata.programs) ?? (save.isEmpty ? opened.metadata : nil)
    try opened.pool.write(withSmallCacheIf: save.hasLongRow) { connection in
      func write(clearing exchanged: [UpdatedObject], checking isSecond: Bool = false) throws {
        try connection.transaction(.immediate) {
          var writer = SaveWriter(connection: connection, opened: opened)
          try writer.check(save.locked)
          if isSecond {
            // A row that was changed elsewhere did not give its value up: report that conflict first.
            try writer.check(
              save.updated.map { LockedObject(objectID: $0.node.objectID, version: $0.node.version - 1) })
            try writer.throwConflicts()
          }
          try writer.delete(save.deleted)
          if isSecond { try writer.throwConflicts() }
          try writer.clear(exchanged)
          try writer.update(save.updated)
          try writer.throwConflicts()
          try writer.checkExisting(save.existing)
          try writer.insert(save.inserted)
          try writer.throwConflicts()
          try writer.checkDeletions(save.deleted)
          for changes in save.relationshipChanges { try writer.apply(changes) }
          if let metadata { try StoreTable(connection).write(metadata: metadata) }
          try beforeCommit()
        }
      }
      do {
        do {
          try write(clearing: [])
        } catch let error as StoreError where error.code == .notUnique {
          // Rows are checked one by one: two that exchange unique values give theirs up first.
          let exchanged = save.updated.filter {
            !$0.node.entity.uniqueFields.isDisjoint(with: $0.changedFields.elements)
          }
          if save.updated.isEmpty { throw error }
          try write(clearing: exchanged, checking: true)
        }
      } catch let error as CipherError where error.isOfCommit {
        try settle(connection, CommitToken(save), error)
      }
    }
    if let metadata { updateMetadata(metadata) }
  }
}

extension SQLCipherStore {
  /// Executes a save within one transaction, and calls `beforeCommit` at its end.
  /// - Throws: as a save does, and what `beforeCommit` throws; nothing is saved then.
  public func save(_ save: SaveChangesRequest, beforeCommit: () throws -> Void) throws {
    let opened = try open
    try translating(path) { try write(save, in: opened, beforeCommit: beforeCommit) }
  }

  /// Decides a commit that failed: its frames may lie whole in the log, where opening the store
  /// after a crash would find them.
  ///
  /// Another write overwrites these frames.
  /// - Throws: `outcomeUnknown` when the disk takes no other write either; else the failure, with
  ///   nothing saved.
  func settle(_ connection: Connection, _ token: CommitToken?, _ error: CipherError) throws {
    do {
      try connection.transaction(.immediate) { try StoreTable(connection).touch() }
    } catch {
      throw StoreError.outcomeUnknown(token, cause: error)
    }
    throw error
  }

  /// Whether a save whose outcome was unknown is in the store.
  ///
  /// One statement. To be asked after the store was opened again, and before anything else is
  /// saved.
  /// - Throws: `StoreError` with code `notFound` when the token is another store's.
  public func wasSaved(_ token: CommitToken) throws -> Bool {
    let opened = try open
    guard token.store == opened.identifier, let entity = model.entity(named: token.entityName) else {
      throw StoreError(.notFound, "the token is of another store")
    }
    return try translating(path) {
      try opened.pool.read { connection in
        let table = opened.schema.table(entity).name.quoted
        let statement = try connection.cached("SELECT _version FROM \(table) WHERE _id = ?1")
        statement.bind(1, token.reference)
        defer { statement.reset() }
        guard try statement.step() else { return token.version == nil }
        return token.version.map { statement.int64(0) >= $0 } ?? false
      }
    }
  }
}

extension SaveChangesRequest {
  /// Whether a row has more pages than are worth keeping: it is in memory more than once already.
  fileprivate var hasLongRow: Bool {
    inserted.contains { $0.byteCount > Self.longestCached }
      || updated.contains { $0.node.byteCount > Self.longestCached }
  }

  private static var longestCached: Int { 4 << 20 }
}

/// The statements of one save on its connection, inside its transaction.
struct SaveWriter {
  let connection: Connection
  let opened: SQLCipherStore.Opened
  private var stale: [ManagedObjectID] = []
  private var bindings: [NodeBinding?]

  init(connection: Connection, opened: SQLCipherStore.Opened) {
    self.connection = connection
    self.opened = opened
    bindings = Array(repeating: nil, count: opened.storeEntities.count)
  }

  private mutating func binding(_ entity: EntityDescription) -> NodeBinding {
    if let known = bindings[entity.index] { return known }
    let new = NodeBinding(entity)
    bindings[entity.index] = new
    return new
  }

  func throwConflicts() throws {
    if stale.isEmpty { return }
    throw StoreError(
      .conflict,
      "\(stale.count) objects were changed or deleted since they were read; refresh them and save again",
      objectIDs: stale)
  }

  // MARK: Rows

  mutating func insert(_ nodes: [IncrementalStoreNode]) throws {
    var entity: EntityDescription?
    var statement: Statement?
    var binding = NodeBinding()
    for node in nodes.sortedByKey({ ($0.entity.index, $0.reference) }) {
      if node.entity !== entity {
        entity = node.entity
        binding = self.binding(node.entity)
        statement = try connection.cached(opened.schema.insertion(node.entity))
      }
      guard let statement else { continue }
      statement.bind(1, node.reference)
      statement.bind(2, opened.schema.entityNumbers[node.entity.index])
      statement.bind(3, node.version)
      for field in 0..<binding.kinds.count {
        binding.bind(field, of: node, to: statement, at: Int32(field + 4))
      }
      do {
        try run(statement, for: node)
      } catch let error as StoreError where isThere(error) {
        // Another context has stored the object again.
        stale.append(node.objectID)
      }
    }
    statement?.clearBindings()
  }

  /// Whether a row of the same number made an insertion fail.
  private func isThere(_ error: StoreError) -> Bool {
    // SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_ROWID (sqlite.org/rescode.html)
    [1555, 2579].contains((error.cause as? CipherError)?.resultCode)
  }

  /// Checks that no stored to-one references a deleted object: one statement for each to-one.
  func checkDeletions(_ locks: [LockedObject]) throws {
    var linked: [ManagedObjectID] = []
    for (entity, own) in Dictionary(grouping: locks, by: \.objectID.entity) {
      for toOne in entity.referencingRelationships {
        let table = opened.schema.table(toOne.entity)
        guard let column = table.column(toOne)?.name.quoted else { continue }
        let statement = try connection.cached(
          "SELECT r.position FROM _integers(?1) AS r WHERE EXISTS"
            + " (SELECT 1 FROM \(table.name.quoted) WHERE \(column) = r.value)")
        defer { statement.reset() }
        statement.bind(1, integers: IntegerArray(own.map { $0.objectID.reference }))
        while try statement.step() { linked.append(own[Int(statement.int64(0))].objectID) }
      }
    }
    if !linked.isEmpty { throw StoreError.referencedMeanwhile(linked) }
  }

  mutating func update(_ changes: [UpdatedObject]) throws {
    var entity: EntityDescription?
    var fields = PropertyIndexSet()
    var changed: [Int] = []
    var statement: Statement?
    var binding = NodeBinding()
    for change in changes.sortedByKey({ ($0.node.entity.index, $0.changedFields.order, $0.node.reference) }) {
      let node = change.node
      if node.entity !== entity || change.changedFields != fields || statement == nil {
        entity = node.entity
        fields = change.changedFields
        changed = fields.elements
        binding = self.binding(node.entity)
        statement = try connection.cached(opened.schema.updating(changed, of: node.entity))
      }
      guard let statement else { continue }
      statement.bind(1, node.reference)
      statement.bind(2, node.version - 1)
      for (position, field) in changed.enumerated() {
        binding.bind(field, of: node, to: statement, at: Int32(position + 3))
      }
      try run(statement, for: node)
      if connection.changes == 0 { stale.append(node.objectID) }
    }
    statement?.clearBindings()
  }

  /// Takes away the unique values that objects are about to exchange.
  func clear(_ changes: [UpdatedObject]) throws {
    for change in changes {
      let entity = change.node.entity
      let fields = change.changedFields.elements.filter(entity.uniqueFields.contains)
      let statement = try connection.cached(opened.schema.clearing(fields, of: entity))
      statement.bind(1, change.node.reference)
      try statement.run()
    }
  }

  private func run(_ statement: Statement, for node: IncrementalStoreNode) throws {
    do {
      try statement.run()
    } catch {
      guard error.code == .constraint else { throw error }
      throw StoreError.notUnique(node.entity, [node.objectID], error)
    }
  }

  mutating func check(_ locks: [LockedObject]) throws {
    for lock in locks {
      let table = opened.schema.table(lock.objectID.entity).name.quoted
      let statement = try connection.cached("SELECT 1 FROM \(table) WHERE _id = ?1 AND _version = ?2")
      statement.bind(1, lock.objectID.reference)
      statement.bind(2, lock.version)
      defer { statement.reset() }
      if try !statement.step() { stale.append(lock.objectID) }
    }
  }

  /// One statement a root entity; a second where objects do not exist.
  func checkExisting(_ ids: [ManagedObjectID]) throws {
    var missing: [ManagedObjectID] = []
    for (_, own) in Dictionary(grouping: ids, by: { $0.entity.root.index }) {
      let table = opened.schema.table(own[0].entity).name.quoted
      if own.count <= Self.few, try exist(own, table) { continue }
      let statement = try connection.cached(
        "SELECT r.position FROM _integers(?1) AS r LEFT JOIN \(table) AS t ON t._id = r.value WHERE t._id"
          + " IS NULL"
      )
      defer { statement.reset() }
      statement.bind(1, integers: IntegerArray(own.map { $0.reference }))
      while try statement.step() { missing.append(own[Int(statement.int64(0))]) }
    }
    if !missing.isEmpty { throw StoreError.missingDestinations(missing) }
  }

  private static let few = 4

  /// Whether a few objects exist, without the cost of a list of them.
  private func exist(_ ids: [ManagedObjectID], _ table: String) throws -> Bool {
    let found = "EXISTS (SELECT 1 FROM \(table) WHERE _id"
    let statement = try connection.cached(
      "SELECT \(found) = ?1) AND \(found) = ?2) AND \(found) = ?3) AND \(found) = ?4)")
    defer { statement.reset() }
    for place in 0..<Self.few {
      statement.bind(Int32(place + 1), ids[min(place, ids.count - 1)].reference)
    }
    return try statement.step() && statement.int64(0) != 0
  }

  mutating func delete(_ locks: [LockedObject]) throws {
    for lock in locks.sortedByKey({ ($0.objectID.entity.index, $0.objectID.reference) }) {
      let entity = lock.objectID.entity
      let table = opened.schema.table(entity).name.quoted
      let statement = try connection.cached("DELETE FROM \(table) WHERE _id = ?1 AND _version = ?2")
      statement.bind(1, lock.objectID.reference)
      statement.bind(2, lock.version)
      try statement.run()
      if connection.changes == 0 { stale.append(lock.objectID) }
      for sql in opened.schema.joinTableDeletions(entity) {
        let links = try connection.cached(sql)
        links.bind(1, lock.objectID.reference)
        try links.run()
      }
    }
  }

  // MARK: Links

  func apply(_ changes: RelationshipChanges) throws {
    guard let table = opened.schema.joinTable(changes.relationship) else { return }
    if !changes.removed.isEmpty {
      let statement = try connection.cached(
        "DELETE FROM \(table.name.quoted) WHERE _source = ?1 AND _target = ?2")
      try run(statement, changes.removed)
    }
    if !changes.added.isEmpty {
      try run(try connection.cached(table.insertion), changes.added)
    }
    try order(changes.orders, table, column: "_position", of: "_source", other: "_target")
    try order(changes.inverseOrders, table, column: "_inverse_position", of: "_target", other: "_source")
  }

  private func run(_ statement: Statement, _ links: [RelationshipChanges.JoinTableRow]) throws {
    for link in links {
      statement.bind(1, link.source)
      statement.bind(2, link.destination)
      try statement.run()
    }
  }

  private func order(
    _ orders: [(source: Int64, destinations: [Int64])], _ table: JoinTable, column: String, of end: String,
    other: String
  ) throws {
    if orders.isEmpty { return }
    let statement = try connection.cached(
      "UPDATE \(table.name.quoted) SET \(column) = ?3 WHERE \(end) = ?1 AND \(other) = ?2")
    for (source, destinations) in orders {
      statement.bind(1, source)
      for (position, destination) in destinations.enumerated() {
        statement.bind(2, destination)
        statement.bind(3, Int64(position))
        try statement.run()
      }
    }
  }
}

extension StoreError {
  static func notUnique(_ entity: EntityDescription, _ ids: [ManagedObjectID], _ cause: any Error)
    -> StoreError
  {
    let names = entity.uniquenessConstraints.map { $0.propertyNames.joined(separator: " and ") }
    return StoreError(
      .notUnique,
      "another \(entity.name) has the same \(names.joined(separator: " or ")); change it or delete the other",
      objectIDs: ids, cause: cause)
  }
}
