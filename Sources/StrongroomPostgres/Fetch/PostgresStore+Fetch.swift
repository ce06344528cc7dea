public import ObjectModel
public import ObjectQuery
public import StoreContract

extension PostgresStore {
  /// The nodes of a request's objects.
  ///
  /// One statement, for the rows that the server finds by those parts of the condition that it answers as
  /// memory does; the rest, and the order, are evaluated in memory.
  /// - Throws: `QueryError` for unknown names; `StoreError` where the server does not answer.
  public func fetchNodes(_ request: FetchRequest, lookup: (any NodeLookup)?) throws -> [IncrementalStoreNode]
  {
    let opened = try open
    guard let entity = model.entity(named: request.entityName) else {
      throw StoreError(.notFound, "the model has no entity \(request.entityName)")
    }
    let evaluation = try FetchEvaluation(request, entity: entity)
    var rows = NodeRows(opened, entity)
    var condition = ServerCondition(opened.schema, entity)
    let own = request.predicate.flatMap { condition.superset(of: $0) }
    let kind = opened.schema.condition(entity, withSubentities: request.includesSubentities)
    let sql =
      "SELECT \(rows.selection("r")) FROM \(opened.schema.table(entity).name.quoted) r WHERE r.\(kind)"
      + (own.map { " AND \($0)" } ?? "")
    let found = try opened.pool.read { try $0.run(sql, condition.parameters) }
    let nodes = try (0..<found.count).map { try rows.node(found, $0, lookup: lookup) }
    return try evaluation.nodes(nodes, in: self)
  }

  /// The nodes of objects, in the order of the references; nil where there is no such object.
  ///
  /// One statement.
  public func newValues(for references: [Int64], of entity: EntityDescription) throws
    -> [IncrementalStoreNode?]
  {
    let opened = try open
    if references.isEmpty { return [] }
    var rows = NodeRows(opened, entity.root)
    let sql =
      "SELECT \(rows.selection("r")) FROM \(opened.schema.table(entity).name.quoted) r"
      + " WHERE r._id = ANY ($1::bigint[])"
    let found = try opened.pool.read { try $0.run(sql, [.numbers(references)]) }
    var nodes: [Int64: IncrementalStoreNode] = [:]
    for row in 0..<found.count { nodes[found.number(row, 0)] = try rows.node(found, row) }
    return references.map { nodes[$0] }
  }

  /// The destinations of a to-many relationship, for many sources at once.
  ///
  /// One statement.
  public func newValues(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> RelationshipDestinations
  {
    let opened = try open
    var result = RelationshipDestinations()
    if references.isEmpty { return result }
    let sql = opened.schema.destinations(of: relationship)
    let found = try opened.pool.read { try $0.run(sql, [.numbers(references)]) }
    var row = 0
    for place in references.indices {
      while row < found.count, found.number(row, 0) == Int64(place) {
        let reference = found.number(row, 1)
        if relationship.destination.hasSubentities {
          guard let entity = opened.schema.entity(number: found.number(row, 2)) else {
            throw StoreError(.fileDamaged, "a row of \(relationship.destination.name) is of no entity")
          }
          result.append(reference, entityIndex: entity.index)
        } else {
          result.append(reference)
        }
        row += 1
      }
      result.endSource()
    }
    return result
  }
}

extension ServerSchema {
  /// Selects the place of the source in the parameter, the destination's number and its entity's.
  fileprivate func destinations(of relationship: RelationshipDescription) -> String {
    let table = table(relationship.destination).name.quoted
    let sources = "unnest($1::bigint[]) WITH ORDINALITY AS s(id, place)"
    if let link = link(relationship) {
      let isOwner = relationship === relationship.joinTableOwner
      let (own, other) = isOwner ? ("_source", "_target") : ("_target", "_source")
      let position = isOwner ? "_position" : "_inverse_position"
      let order = relationship.isOrdered ? "l.\(position), l.\(other)" : "l.\(other)"
      return
        "SELECT s.place - 1, r._id, r._entity FROM \(sources) JOIN \(link.name.quoted) l ON l.\(own) = s.id"
        + " JOIN \(table) r ON r._id = l.\(other) ORDER BY s.place, \(order)"
    }
    guard let inverse = relationship.inverse, let column = self.table(inverse.entity).column(.toOne(inverse))
    else { return "SELECT 0::bigint, 0::bigint, 0::bigint WHERE $1::bigint[] IS NULL" }
    return "SELECT s.place - 1, r._id, r._entity FROM \(sources) JOIN \(table) r"
      + " ON r.\(column.name.quoted) = s.id WHERE r.\(condition(inverse.entity)) ORDER BY s.place, r._id"
  }
}
