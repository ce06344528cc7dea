import ObjectModel
public import ObjectQuery

extension InMemoryStore {
  /// The nodes of a request's objects.
  ///
  /// Looks at every object of the entity.
  public func fetchNodes(_ request: FetchRequest, lookup: (any NodeLookup)?) throws -> [IncrementalStoreNode]
  {
    try checkOpen()
    guard let entity = model.entity(named: request.entityName) else {
      throw StoreError(.notFound, "the model has no entity \(request.entityName)")
    }
    let all = state.withLock { Array(($0.tables[entity.root.index] ?? [:]).values) }
    let nodes = all.filter {
      request.includesSubentities ? $0.entity.isKind(of: entity) : $0.entity === entity
    }
    return try FetchEvaluation(request, entity: entity).nodes(nodes, in: self)
  }
}
