import Foundation
public import ObjectModel
public import ObjectQuery
public import StoreContract

extension PostgresStore {
  /// The nodes of a request's objects.
  ///
  /// One statement. Where the server means the same as memory by all of the condition and the order, it finds
  /// just these rows; else it finds those of which the parts that it answers are true, and memory decides.
  /// - Throws: `QueryError` for unknown names; `StoreError`: `unsupportedRequest` for what sealed attributes
  ///   are not for; `fileDamaged` for a sealed value that was moved or changed; where the server does not
  ///   answer.
  public func fetchNodes(_ request: FetchRequest, lookup: (any NodeLookup)?) throws -> [IncrementalStoreNode]
  {
    try reading {
      let (opened, entity, evaluation, fetch) = try prepared(request)
      let layout = opened.schema.layout(entity)
      var rows = NodeRows(opened, layout)
      let found = try opened.pool.fetch {
        try $0.run(fetch.selectingInAnyOrder(layout.selection), fetch.parameters)
      }
      var nodes = try rows.nodes(found, lookup: lookup)
      if fetch.isInOrderOfNumbers, !rows.isAscending { nodes.sort { $0.reference < $1.reference } }
      return fetch.isWhole ? nodes : try evaluation.nodes(nodes, in: self)
    }
  }

  /// The IDs of a request's objects.
  ///
  /// One statement, as `fetchNodes`; of numbers alone where the server finds just these rows.
  public func fetchObjectIDs(_ request: FetchRequest) throws -> [ManagedObjectID] {
    try reading {
      let (opened, _, _, fetch) = try prepared(request)
      guard fetch.isWhole else { return try fetchNodes(request, lookup: nil).map(\.objectID) }
      let found = try opened.pool.fetch { try $0.run(fetch.selecting("r._id, r._entity"), fetch.parameters) }
      return try (0..<found.count).map { row in
        guard let entity = opened.schema.entity(number: found.number(row, 1)) else {
          throw StoreError(.fileDamaged, "a row of \(request.entityName) is of no entity of the model")
        }
        return ManagedObjectID(opened.storeEntities[entity.index], reference: found.number(row, 0))
      }
    }
  }

  /// The rows of a request as dictionaries, evaluated in memory.
  ///
  /// One statement, which reads all objects of the entity.
  /// - Throws: `QueryError` for unknown names; `StoreError`: `unsupportedRequest` for what sealed attributes
  ///   are not for, or where the server does not answer.
  public func fetchDictionaries(_ request: FetchRequest) throws -> [[String: AttributeValue]] {
    let (_, _, evaluation, _) = try prepared(request.returning(.dictionaries))
    var all = FetchRequest(request.entityName)
    all.includesSubentities = request.includesSubentities
    return try evaluation.dictionaries(try fetchNodes(all, lookup: nil), in: self)
  }

  /// The number of a request's objects.
  ///
  /// One statement, as `fetchNodes`; of no row where the server counts them.
  public func count(for request: FetchRequest) throws -> Int {
    try reading {
      let (opened, _, _, fetch) = try prepared(request)
      guard fetch.isWhole else { return try fetchNodes(request, lookup: nil).count }
      return Int(try opened.pool.fetch { try $0.run(fetch.counting, fetch.parameters).number(0, 0) })
    }
  }

  /// The statement, and the server's plan for it.
  ///
  /// One statement.
  public func queryPlan(for request: FetchRequest) throws -> QueryPlan {
    let (opened, entity, _, fetch) = try prepared(request)
    let sql = fetch.selecting(opened.schema.layout(entity).selection)
    let found = try opened.pool.fetch { try $0.run("EXPLAIN " + sql, fetch.parameters) }
    var texts: [String] = []
    for row in 0..<found.count {
      let text = found.text(row, 0).trimmingCharacters(in: .whitespaces)
      // What belongs to a step follows it.
      if row == 0 || text.hasPrefix("->") {
        texts.append(text.trimmingCharacters(in: ["-", ">", " "]))
      } else {
        texts[texts.count - 1] += ", \(text)"
      }
    }
    let steps = texts.map { text in
      QueryPlan.Step(text: text, usesIndex: !text.contains("Seq Scan") && !text.hasPrefix("Sort "))
    }
    let missing = request.missingIndexes(of: entity).compared.filter(ModelIndexes.takes)
    return QueryPlan(
      statement: sql, steps: steps, isEvaluatedInMemory: !fetch.isWhole,
      suggestedIndexes: missing.map { "\($0.entity.name).\($0.name)" })
  }

  private func prepared(_ request: FetchRequest) throws
    -> (Opened, EntityDescription, FetchEvaluation, ServerFetch)
  {
    let opened = try open
    guard let entity = model.entity(named: request.entityName) else {
      throw StoreError(.notFound, "the model has no entity \(request.entityName)")
    }
    let evaluation = try FetchEvaluation(request, entity: entity)
    if opened.sealing != nil { try SealedRequest.check(request, entity) }
    return (opened, entity, evaluation, ServerFetch(opened, request, entity))
  }

  /// The nodes of objects, in the order of the references; nil where there is no such object of the entity.
  ///
  /// One statement.
  public func newValues(for references: [Int64], of entity: EntityDescription) throws
    -> [IncrementalStoreNode?]
  {
    try reading {
      let opened = try open
      if references.isEmpty { return [] }
      let layout = opened.schema.layout(entity.root)
      var rows = NodeRows(opened, layout)
      // The server makes a plan of its own for each array, and one for all single numbers.
      if references.count == 1 {
        let sql = opened.pool.isPinned ? layout.byNumberInMoment : layout.byNumber
        let found = try opened.pool.fetch { try $0.run(sql, [.number(references[0])]) }
        return [found.count == 0 ? nil : try rows.node(found, 0).of(entity)]
      }
      let sql =
        "SELECT \(layout.selection) FROM \(layout.table.name.quoted) r"
        + " WHERE \(opened.versionCheck) AND r._id = ANY ($1::bigint[])"
      let found = try opened.pool.fetch { try $0.run(sql, [.numbers(references)]) }
      var nodes: [Int64: IncrementalStoreNode] = [:]
      for row in 0..<found.count { nodes[found.number(row, 0)] = try rows.node(found, row).of(entity) }
      return references.map { nodes[$0] }
    }
  }

  /// The destinations of a to-many relationship, for many sources at once.
  ///
  /// One statement.
  public func newValues(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> RelationshipDestinations
  {
    try reading {
      let opened = try open
      var result = RelationshipDestinations()
      if references.isEmpty { return result }
      let sql = opened.schema.destinations(of: relationship, opened.versionCheck)
      let found = try opened.pool.fetch { try $0.run(sql, [.numbers(references)]) }
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
}

extension ServerSchema {
  /// Selects the place of the source in the parameter, the destination's number and its entity's.
  fileprivate func destinations(of relationship: RelationshipDescription, _ versionCheck: String) -> String {
    let table = table(relationship.destination).name.quoted
    // Of one array it may be another's function; of several it is the server's own syntax.
    let sources = "pg_catalog.unnest($1::bigint[]) WITH ORDINALITY AS s(id, place)"
    if let link = link(relationship) {
      let isOwner = relationship === relationship.joinTableOwner
      let (own, other) = isOwner ? ("_source", "_target") : ("_target", "_source")
      let position = isOwner ? "_position" : "_inverse_position"
      let order = relationship.isOrdered ? "l.\(position), l.\(other)" : "l.\(other)"
      return
        "SELECT s.place - 1, r._id, r._entity FROM \(sources) JOIN \(link.name.quoted) l ON l.\(own) = s.id"
        + " JOIN \(table) r ON r._id = l.\(other) WHERE \(versionCheck) ORDER BY s.place, \(order)"
    }
    guard let inverse = relationship.inverse, let column = self.table(inverse.entity).column(.toOne(inverse))
    else { return "SELECT 0::bigint, 0::bigint, 0::bigint WHERE $1::bigint[] IS NULL" }
    return "SELECT s.place - 1, r._id, r._entity FROM \(sources) JOIN \(table) r"
      + " ON r.\(column.name.quoted) = s.id WHERE \(versionCheck) AND r.\(condition(inverse.entity))"
      + " ORDER BY s.place, r._id"
  }
}
