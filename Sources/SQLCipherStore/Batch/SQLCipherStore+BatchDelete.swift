import CipherDatabase
import ObjectModel
public import ObjectQuery
public import StoreContract

extension SQLCipherStore {
  /// A few statements a relationship, in one transaction, whatever the number of objects: the
  /// model's delete rules are followed in SQL.
  ///
  /// A rule to nullify a required relationship denies.
  /// - Throws: `outcomeUnknown` when the disk fails at the commit and still after it; else `denied`, and
  ///   nothing is deleted then.
  public func delete(matching request: FetchRequest) throws -> BatchResult {
    try checkWritable()
    let opened = try open
    return try translating(path) {
      let selection = try BatchSelection(request, in: self, opened)
      return try opened.pool.write { connection in
        try committing(connection) {
          var deletion = SetDeletion(
            connection, opened, tracksHistory ? HistoryRecorder(connection, opened, historyLimits) : nil)
          try deletion.add(selection.references(connection), selection.entity.root)
          return BatchResult(count: try deletion.run())
        }
      }
    }
  }
}

/// Deletes sets of objects by the delete rules, each step for all objects of a table at once.
private struct SetDeletion {
  private let connection: Connection
  private let schema: StoreSchema
  private var recorder: HistoryRecorder?
  private var doomed: [EntityDescription: Set<Int64>] = [:]  // by root

  init(_ connection: Connection, _ opened: SQLCipherStore.Opened, _ recorder: HistoryRecorder?) {
    self.connection = connection
    schema = opened.schema
    self.recorder = recorder
  }

  /// Marks objects, and all objects that cascade rules reach from them, for deletion.
  mutating func add(_ references: [Int64], _ root: EntityDescription) throws {
    var waiting = [(root, references)]
    while let (root, references) = waiting.popLast() {
      let known = doomed[root] ?? []
      let new = known.isEmpty ? references : references.filter { !known.contains($0) }
      if new.isEmpty { continue }
      doomed[root, default: []].formUnion(new)
      for relationship in relationships(root) where relationship.deleteRule == .cascade {
        let destinations = try numbers(destinations(relationship), new)
        if !destinations.isEmpty { waiting.append((relationship.destination.root, destinations)) }
      }
    }
  }

  mutating func run() throws -> Int {
    var count = 0
    for (root, references) in doomed { try recorder?.willDelete(references.sorted(), of: root) }
    for (root, references) in doomed {
      for relationship in relationships(root) { try settle(relationship, references.sorted()) }
      for toOne in root.unidirectionalToOnes where toOne.deleteRule != .noAction {
        try empty(toOne, references.sorted())
      }
    }
    for (root, references) in doomed {
      let sorted = IntegerArray(references.sorted())
      var ends: Set<String> = []
      for member in root.hierarchy {
        for (table, column) in schema.joinTableColumns(member) where ends.insert(table.name + column).inserted
        {
          try run(
            "DELETE FROM \(table.name.quoted) WHERE \(column) IN (SELECT value FROM _integers(?1))", sorted)
        }
      }
      try run(
        "DELETE FROM \(schema.table(root).name.quoted) WHERE _id IN (SELECT value FROM _integers(?1))", sorted
      )
      count += connection.changes
    }
    try recorder?.finish()
    return count
  }

  /// Denies the deletion, or clears the to-ones that reference the deleted objects.
  private mutating func settle(_ relationship: RelationshipDescription, _ references: [Int64]) throws {
    switch relationship.deleteRule {
    case .cascade, .noAction: return
    case .deny:
      if try leavesDestinations(relationship, references) {
        throw StoreError.deletionDenied(relationship, nil)
      }
    case .nullify:
      guard let inverse = relationship.inverse, inverse.field >= 0 else { return }
      if !inverse.isOptional, try leavesDestinations(relationship, references) {
        throw StoreError.deletionDenied(relationship, nil)
      }
      try clear(inverse, references)
    }
  }

  /// Clears a to-one without an inverse, or denies the deletion where the to-one is not optional.
  private mutating func empty(_ toOne: RelationshipDescription, _ references: [Int64]) throws {
    if !toOne.isOptional, let column = schema.table(toOne.entity).column(toOne)?.name.quoted {
      let holders = try numbers(
        "SELECT _id FROM \(schema.table(toOne.entity).name.quoted)"
          + " WHERE \(column) IN (SELECT value FROM _integers(?1))", references)
      let deleted = doomed[toOne.entity.root] ?? []
      if !holders.allSatisfy(deleted.contains) { throw StoreError.deletionDenied(toOne, nil) }
    }
    try clear(toOne, references)
  }

  private mutating func clear(_ toOne: RelationshipDescription, _ references: [Int64]) throws {
    let table = schema.table(toOne.entity)
    guard let column = table.column(toOne)?.name.quoted else { return }
    var left: [Int64] = []
    if recorder != nil {
      let holders = try numbers(
        "SELECT _id FROM \(table.name.quoted) WHERE \(column) IN (SELECT value FROM _integers(?1))",
        references)
      let deleted = doomed[toOne.entity.root] ?? []
      left = holders.filter { !deleted.contains($0) }
      try recorder?.add(updated: left, of: toOne.entity, [toOne.index])
    }
    try run(
      "UPDATE OR FAIL \(table.name.quoted) SET _version = _version + 1, \(column) = NULL"
        + " WHERE \(column) IN (SELECT value FROM _integers(?1))", IntegerArray(references))
    try recorder?.didUpdate(left, of: toOne.entity, [toOne.index])
  }

  private func leavesDestinations(_ relationship: RelationshipDescription, _ references: [Int64]) throws
    -> Bool
  {
    let deleted = doomed[relationship.destination.root] ?? []
    return try numbers(destinations(relationship), references).contains { !deleted.contains($0) }
  }

  /// Every relationship of an entity hierarchy once.
  ///
  /// In the rows of other entities, a relationship of a subentity is null.
  private func relationships(_ root: EntityDescription) -> [RelationshipDescription] {
    root.hierarchy.flatMap { member in
      member.relationships.filter { $0.entity === member && !$0.isTransient }
    }
  }

  /// Selects the destinations of the sources `?1`.
  private func destinations(_ relationship: RelationshipDescription) -> String {
    let sources = "IN (SELECT value FROM _integers(?1))"
    if relationship.hasJoinTable, relationship.isToMany, let links = schema.joinTable(relationship) {
      let forward = relationship === links.owner
      return
        "SELECT DISTINCT \(forward ? "_target" : "_source") FROM \(links.name.quoted)"
        + " WHERE \(forward ? "_source" : "_target") \(sources)"
    }
    if relationship.isToMany {
      let table = schema.table(relationship.destination)
      let column = relationship.inverse.flatMap { table.column($0) }?.name.quoted ?? "NULL"
      return "SELECT _id FROM \(table.name.quoted) WHERE \(column) \(sources)"
    }
    let table = schema.table(relationship.entity)
    let column = table.column(relationship)?.name.quoted ?? "NULL"
    return
      "SELECT DISTINCT \(column) FROM \(table.name.quoted) WHERE _id \(sources) AND \(column) IS NOT NULL"
  }

  private func numbers(_ sql: String, _ references: [Int64]) throws -> [Int64] {
    let statement = try connection.cached(sql)
    defer { statement.reset() }
    statement.bind(1, integers: IntegerArray(references))
    var result: [Int64] = []
    while try statement.step() { result.append(statement.int64(0)) }
    return result
  }

  private func run(_ sql: String, _ references: IntegerArray) throws {
    let statement = try connection.cached(sql)
    statement.bind(1, integers: references)
    try statement.run()
  }
}
