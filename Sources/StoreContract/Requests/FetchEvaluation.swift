public import ObjectModel
public import ObjectQuery

/// Executes a fetch request over rows in memory: filter, sort, offset, limit and result type. For
/// stores without indexes of their own.
public struct FetchEvaluation {
  let request: FetchRequest
  let predicate: ResolvedPredicate?
  let sort: ResolvedSort
  let columns: ResolvedColumns?
  let search: ResolvedSearch?
  let entity: EntityDescription

  /// Resolves the request's names.
  ///
  /// - Throws: `QueryError` for names the entity does not have, and for a predicate or expression
  ///   that is nested too deeply.
  public init(_ request: FetchRequest, entity: EntityDescription) throws {
    try request.checkNesting()
    self.request = request
    self.entity = entity
    predicate = try request.predicate.map { try ResolvedPredicate($0, for: entity) }
    search = try request.search.map { try ResolvedSearch($0, for: entity) }
    columns = request.resultType == .dictionaries ? try ResolvedColumns(request, for: entity) : nil
    // Columns sort their own rows, except by rank.
    let isSorted = columns == nil || search != nil && request.propertiesToGroupBy.isEmpty
    sort = try ResolvedSort(isSorted ? request.sortDescriptors : [], for: entity)
  }

  /// The result over all rows of the entity (and of its subentities, where the request includes
  /// them).
  ///
  /// - Throws: Any error of reading relationships from the store.
  public func result(_ nodes: [IncrementalStoreNode], in store: any IncrementalStore) throws -> StoreResult {
    var objects: [StoreQueryObject] = []
    var ranks: [Int64: Double] = [:]
    if let search {
      for (object, rank) in try search.found(nodes.map({ StoreQueryObject($0, in: store) })) {
        ranks[object.queryReference] = rank
        objects.append(object)
      }
      objects = try objects.filter { try predicate?.matches($0) ?? true }
      try objects.sort { left, right in
        let (a, b) = (ranks[left.queryReference] ?? 0, ranks[right.queryReference] ?? 0)
        return try a == b ? sort.areInIncreasingOrder(left, right) : a > b
      }
    } else {
      for node in nodes {
        let object = StoreQueryObject(node, in: store)
        if try predicate?.matches(object) ?? true { objects.append(object) }
      }
    }
    if let columns { return .dictionaries(try columns.rows(objects)) }
    if search == nil { try objects.sort { try sort.areInIncreasingOrder($0, $1) } }
    let kept = request.page(of: objects)
    switch request.resultType {
    case .count: return .count(kept.count)
    case .objectIDs: return .objectIDs(kept.map { $0.node.objectID })
    default: return .nodes(kept.map { $0.node })
    }
  }
}
