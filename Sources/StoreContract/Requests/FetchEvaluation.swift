public import ObjectModel
public import ObjectQuery

/// Executes a fetch request over rows in memory: filter, sort, offset, limit and result type.
///
/// For stores without indexes of their own.
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

  /// The nodes that the request matches among all nodes of its entity (and of its subentities,
  /// where the request includes them), in its order and with its limit.
  ///
  /// - Throws: Any error of reading relationships from the store.
  public func nodes(_ nodes: [IncrementalStoreNode], in store: any IncrementalStore) throws
    -> [IncrementalStoreNode]
  {
    var objects = try matches(nodes, in: store)
    if search == nil { try objects.sort { try sort.areInIncreasingOrder($0, $1) } }
    return request.page(of: objects).map { $0.node }
  }

  /// The rows of the request's columns over the nodes that it matches.
  ///
  /// - Throws: `QueryError` for unknown names in the columns; any error of reading relationships
  ///   from the store.
  public func dictionaries(_ nodes: [IncrementalStoreNode], in store: any IncrementalStore) throws
    -> [[String: AttributeValue]]
  {
    let columns = try columns ?? ResolvedColumns(request, for: entity)
    return try columns.rows(try matches(nodes, in: store))
  }

  /// The objects that meet the request's condition; those of a search by rank.
  private func matches(_ nodes: [IncrementalStoreNode], in store: any IncrementalStore) throws
    -> [StoreQueryObject]
  {
    let monitor = FetchProgress.current
    func isMatch(_ object: StoreQueryObject) throws -> Bool {
      try monitor?.checkCancellation()
      return try predicate?.matches(object) ?? true
    }
    guard let search else { return try QueryCohort.objects(nodes, in: store).filter(isMatch) }
    var ranks: [Int64: Double] = [:]
    var objects: [StoreQueryObject] = []
    for (object, rank) in try search.found(QueryCohort.objects(nodes, in: store)) {
      ranks[object.queryReference] = rank
      if try isMatch(object) { objects.append(object) }
    }
    try objects.sort { left, right in
      let (a, b) = (ranks[left.queryReference] ?? 0, ranks[right.queryReference] ?? 0)
      return try a == b ? sort.areInIncreasingOrder(left, right) : a > b
    }
    return objects
  }
}
