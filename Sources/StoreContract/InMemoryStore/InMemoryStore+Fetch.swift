import ObjectModel
import ObjectQuery

extension InMemoryStore {
  func execute(_ request: FetchRequest) throws -> StoreResult {
    guard let entity = model.entity(named: request.entityName) else {
      throw StoreError(.notFound, "the model has no entity \(request.entityName)")
    }
    let all = state.withLock { Array(($0.tables[entity.root.index] ?? [:]).values) }
    let nodes = all.filter {
      request.includesSubentities ? $0.entity.isKind(of: entity) : $0.entity === entity
    }
    return try FetchEvaluation(request, entity: entity).result(nodes, in: self)
  }
}
