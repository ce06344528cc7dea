import CipherDatabase
import ObjectModel
import StoreContract

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

  private var statements: SaveStatements { opened.saveStatements }

  private mutating func binding(_ entity: EntityDescription) -> NodeBinding {
    if let known = bindings[entity.index] { return known }
    let new = NodeBinding(entity)
    bindings[entity.index] = new
    return new
  }

  func throwConflicts() throws {
    if stale.isEmpty { return }
    throw StoreError.stale(stale)
  }

  // MARK: Rows

  /// Many rows of an entity a statement where there are as many, and the rest one by one.
  mutating func insert(_ nodes: [IncrementalStoreNode]) throws {
    let sorted = nodes.sortedByKey { ($0.entity.index, $0.reference) }
    var start = 0
    while start < sorted.count {
      let entity = sorted[start].entity
      let most = start + binding(entity).rowsTogether
      var end = start + 1
      while end < min(most, sorted.count), sorted[end].entity === entity { end += 1 }
      try insert(sorted[start..<end], rows: end == most ? end - start : 1)
      start = end
    }
  }

  /// Inserts objects of one entity, so many a statement.
  private mutating func insert(_ nodes: ArraySlice<IncrementalStoreNode>, rows: Int) throws {
    guard let entity = nodes.first?.entity else { return }
    let statement = try connection.cached(statements.insertion(entity, rows: rows))
    defer { statement.clearBindings() }
    for start in stride(from: nodes.startIndex, to: nodes.endIndex, by: rows) {
      let together = nodes[start..<start + rows]
      bind(together, to: statement)
      do {
        try statement.run()
      } catch {
        guard error.code == .constraint else { throw error }
        // The rows before the one that failed are stored.
        let failed = start + connection.changes
        guard together.indices.contains(failed) else { throw StoreError.notUnique(entity, [], error) }
        let refusal = StoreError.notUnique(entity, [nodes[failed].objectID], error)
        guard isThere(refusal) else { throw refusal }
        // Another context has stored the object again.
        stale.append(nodes[failed].objectID)
        try insert(nodes[failed + 1..<together.endIndex], rows: 1)
      }
    }
  }

  private mutating func bind(_ nodes: ArraySlice<IncrementalStoreNode>, to statement: Statement) {
    guard let entity = nodes.first?.entity else { return }
    let binding = binding(entity)
    let number = opened.schema.entityNumbers[entity.index]
    var place: Int32 = 1
    for node in nodes {
      statement.bind(place, node.reference)
      statement.bind(place + 1, number)
      statement.bind(place + 2, node.version)
      place += 3
      for field in 0..<binding.kinds.count {
        binding.bind(field, of: node, to: statement, at: place)
        place += 1
      }
    }
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
        guard let text = statements.references(toOne) else { continue }
        let statement = try connection.cached(text)
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
        statement = try connection.cached(statements.update(fields, of: node.entity))
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
      let statement = try connection.cached(statements.version(lock.objectID.entity))
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
      if own.count <= SaveStatements.few, try exist(own) { continue }
      let statement = try connection.cached(statements.missing(own[0].entity))
      defer { statement.reset() }
      statement.bind(1, integers: IntegerArray(own.map { $0.reference }))
      while try statement.step() { missing.append(own[Int(statement.int64(0))]) }
    }
    if !missing.isEmpty { throw StoreError.missingDestinations(missing) }
  }

  /// Whether a few objects exist, without the cost of a list of them.
  private func exist(_ ids: [ManagedObjectID]) throws -> Bool {
    let statement = try connection.cached(statements.existence(ids[0].entity))
    defer { statement.reset() }
    for place in 0..<SaveStatements.few {
      statement.bind(Int32(place + 1), ids[min(place, ids.count - 1)].reference)
    }
    return try statement.step() && statement.int64(0) != 0
  }

  mutating func delete(_ locks: [LockedObject]) throws {
    var entity: EntityDescription?
    var row: Statement?
    var links: [Statement] = []
    for lock in locks.sortedByKey({ ($0.objectID.entity.index, $0.objectID.reference) }) {
      if lock.objectID.entity !== entity {
        entity = lock.objectID.entity
        row = try connection.cached(statements.deletion(lock.objectID.entity))
        links = try statements.linkDeletions(lock.objectID.entity).map { try connection.cached($0) }
      }
      guard let statement = row else { continue }
      statement.bind(1, lock.objectID.reference)
      statement.bind(2, lock.version)
      try statement.run()
      if connection.changes == 0 { stale.append(lock.objectID) }
      for statement in links {
        statement.bind(1, lock.objectID.reference)
        try statement.run()
      }
    }
  }

  // MARK: Links

  func apply(_ changes: RelationshipChanges) throws {
    guard let table = opened.schema.joinTable(changes.relationship) else { return }
    if !changes.removed.isEmpty {
      try run(try connection.cached(statements.linkDeletion(table)), changes.removed[...])
    }
    try insert(changes.added, into: table)
    try order(changes.orders, table, column: "_position", of: "_source", other: "_target")
    try order(changes.inverseOrders, table, column: "_inverse_position", of: "_target", other: "_source")
  }

  private func insert(_ links: [RelationshipChanges.JoinTableRow], into table: JoinTable) throws {
    var place = 0
    let most = table.isOrdered ? 0 : JoinTable.rowsTogether
    while most > 0, links.count - place >= most {
      let statement = try connection.cached(statements.linkInsertion(table, rows: most))
      bind(links[place..<place + most], to: statement)
      try statement.run()
      place += most
    }
    if place == links.count { return }
    let statement = try connection.cached(statements.linkInsertion(table))
    if table.isOrdered { return try append(links, to: table, by: statement) }
    try run(statement, links[place...])
  }

  /// Inserts links at the end of their orders.
  private func append(
    _ links: [RelationshipChanges.JoinTableRow], to table: JoinTable, by statement: Statement
  ) throws {
    var own = LinkPlaces(connection, table, column: "_position", of: "_source")
    var inverse = LinkPlaces(connection, table, column: "_inverse_position", of: "_target")
    func bind(_ index: Int32, _ place: Int64?) {
      if let place { statement.bind(index, place) } else { statement.bindNull(index) }
    }
    for link in links {
      statement.bind(1, link.source)
      statement.bind(2, link.destination)
      if table.hasPosition { bind(3, try own.take(link.source)) }
      if table.hasInversePosition { bind(4, try inverse.take(link.destination)) }
      try statement.run()
    }
  }

  private func run(_ statement: Statement, _ links: ArraySlice<RelationshipChanges.JoinTableRow>) throws {
    for place in links.indices {
      bind(links[place...place], to: statement)
      try statement.run()
    }
  }

  private func bind(_ links: ArraySlice<RelationshipChanges.JoinTableRow>, to statement: Statement) {
    var place: Int32 = 1
    for link in links {
      statement.bind(place, link.source)
      statement.bind(place + 1, link.destination)
      place += 2
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
