import CipherDatabase
public import ObjectModel
public import StoreContract

extension SQLCipherStore {
  /// The states of objects, in the order asked for; nil where there is none. One statement whatever their number.
  public func newValues(for references: [Int64], of entity: Entity) throws -> [IncrementalStoreNode?] {
    if references.isEmpty { return [] }
    let opened = try open
    let plan = opened.plans[entity.index]
    return try translating(path) {
      try opened.pool.read { connection in
        let builder = NodeBuilder()
        if references.count == 1 {
          let statement = try connection.cached(plan.byReference)
          defer { statement.reset() }
          statement.bind(1, references[0])
          guard try statement.step() else { return [nil] }
          return [try plan.node(statement, builder: builder, opened: opened, lookup: nil)]
        }
        let statement = try connection.cached(plan.byReferences)
        defer { statement.reset() }
        var positions: [Int64: Int] = [:]
        positions.reserveCapacity(references.count)
        for (index, reference) in references.enumerated() { positions[reference] = index }
        // In key order neighbouring rows share a page.
        statement.bind(1, integers: IntegerArray(positions.keys.sorted()))
        var nodes = [IncrementalStoreNode?](repeating: nil, count: references.count)
        while try statement.step() {
          let node = try plan.node(statement, builder: builder, opened: opened, lookup: nil)
          nodes[positions[node.reference]!] = node
        }
        if positions.count < references.count {
          for (index, reference) in references.enumerated() { nodes[index] = nodes[positions[reference]!] }
        }
        return nodes
      }
    }
  }

  /// What a to-many relationship leads to, for many sources at once. One statement whatever their number.
  public func newValues(for relationship: Relationship, of references: [Int64]) throws -> RelationshipTargets
  {
    let opened = try open
    if references.isEmpty { return RelationshipTargets() }
    return try translating(path) {
      try opened.pool.read { connection in
        let statement = try connection.cached(TargetsStatement(relationship, schema: opened.schema).sql)
        defer { statement.reset() }
        statement.bind(1, integers: IntegerArray(references))
        let polymorphic = relationship.destination.hasSubentities
        var result = RelationshipTargets()
        var source = 0
        while try statement.step() {
          let position = Int(statement.int64(0))
          while source < position {
            result.endSource()
            source += 1
          }
          if polymorphic {
            result.append(statement.int64(1), entityIndex: try opened.entityIndex(number: statement.int64(2)))
          } else {
            result.append(statement.int64(1))
          }
        }
        while source < references.count {
          result.endSource()
          source += 1
        }
        return result
      }
    }
  }
}

/// Selects position of the source, target and where needed the target's entity, in the order of the sources and
/// within a source in the relationship's order.
struct TargetsStatement {
  let sql: String

  init(_ relationship: Relationship, schema: StoreSchema) {
    let destination = schema.table(relationship.destination)
    let polymorphic = relationship.destination.hasSubentities
    if let links = schema.linkTable(relationship), relationship.hasLinkTable {
      let forward = relationship === links.owner
      let from = forward ? "_source" : "_target"
      let to = forward ? "_target" : "_source"
      let order =
        relationship.isOrdered
        ? "l.\(forward ? "_position" : "_inverse_position"), l.\(to)" : "l.\(to)"
      let join = polymorphic ? " CROSS JOIN \(destination.name.quoted) AS d ON d._id = l.\(to)" : ""
      sql =
        "SELECT r.position, l.\(to)\(polymorphic ? ", d._entity" : "") FROM _integers(?1) AS r"
        + " CROSS JOIN \(links.name.quoted) AS l ON l.\(from) = r.value\(join) ORDER BY r.position, \(order)"
    } else {
      let inverse = relationship.inverse.flatMap { destination.column($0)?.name.quoted } ?? "NULL"
      sql =
        "SELECT r.position, d._id\(polymorphic ? ", d._entity" : "") FROM _integers(?1) AS r"
        + " CROSS JOIN \(destination.name.quoted) AS d ON d.\(inverse) = r.value ORDER BY r.position, d._id"
    }
  }
}
