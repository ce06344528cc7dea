package import ObjectModel
package import ObjectQuery

/// Answers a fetch request over rows in memory: filter, sort, offset, limit, and the shape of the result.
package struct FetchEvaluation {
  let request: FetchRequest
  let predicate: ResolvedPredicate?
  let sort: ResolvedSort
  let columns: ResolvedColumns?
  let entity: Entity

  /// Resolves the request's names.
  package init(_ request: FetchRequest, entity: Entity) throws {
    self.request = request
    self.entity = entity
    predicate = try request.predicate.map { try ResolvedPredicate($0, for: entity) }
    columns = request.resultType == .dictionaries ? try ResolvedColumns(request, for: entity) : nil
    sort = try ResolvedSort(columns == nil ? request.sort : [], for: entity)
  }

  /// The result over all rows of the entity.
  package func result(_ nodes: [IncrementalStoreNode], in store: any IncrementalStore) throws -> StoreResult {
    var objects: [StoreQueryObject] = []
    for node in nodes {
      let object = StoreQueryObject(node, in: store)
      if try predicate?.matches(object) ?? true { objects.append(object) }
    }
    if let columns { return .dictionaries(try columns.rows(objects)) }
    try objects.sort { try sort.areInIncreasingOrder($0, $1) }
    var kept = objects[...].dropFirst(max(request.offset, 0))
    if let limit = request.limit { kept = kept.prefix(max(limit, 0)) }
    switch request.resultType {
    case .count: return .count(kept.count)
    case .objectIDs: return .objectIDs(kept.map { $0.node.objectID })
    default: return .nodes(kept.map { $0.node })
    }
  }
}
