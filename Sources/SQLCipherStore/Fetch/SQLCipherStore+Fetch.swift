import CipherDatabase
import ObjectModel
import ObjectQuery
import StoreContract

extension SQLCipherStore {
  /// One statement. What SQL does not express is filtered, sorted and cut in memory over the rows the rest selects;
  /// a filter over relationships then fires them row by row.
  func execute(_ request: FetchRequest, lookup: (any NodeLookup)?, in opened: Opened) throws -> StoreResult {
    guard let entity = model.entity(named: request.entityName) else {
      throw StoreError(.notFound, "the model has no entity \(request.entityName)")
    }
    let evaluation = try FetchEvaluation(request, entity: entity)
    let select = SelectStatement(request, entity: entity, opened: opened)
    if select.needsEvaluation {
      return try evaluation.result(try rows(select, lookup: lookup, in: opened), in: self)
    }
    switch request.resultType {
    case .count:
      return .count(
        try opened.pool.read { connection in
          let statement = try select.bound(connection)
          defer { statement.reset() }
          return try statement.step() ? Int(statement.int64(0)) : 0
        })
    case .objectIDs: return .objectIDs(try objectIDs(select, of: entity, in: opened))
    default: return .nodes(try rows(select, lookup: lookup, in: opened))
    }
  }

  private func rows(
    _ select: SelectStatement, lookup: (any NodeLookup)?, in opened: Opened
  ) throws -> [IncrementalStoreNode] {
    try opened.pool.read { connection in
      let statement = try select.bound(connection)
      defer { statement.reset() }
      let builder = NodeBuilder()
      var nodes: [IncrementalStoreNode] = []
      while try statement.step() {
        nodes.append(try select.plan.node(statement, builder: builder, opened: opened, lookup: lookup))
      }
      return nodes
    }
  }

  private func objectIDs(
    _ select: SelectStatement, of entity: Entity, in opened: Opened
  ) throws -> [ManagedObjectID] {
    try opened.pool.read { connection in
      let statement = try select.bound(connection)
      defer { statement.reset() }
      var result: [ManagedObjectID] = []
      while try statement.step() {
        let index =
          entity.hasSubentities ? try opened.entityIndex(number: statement.int64(1)) : entity.index
        result.append(ManagedObjectID(opened.storeEntities[index], reference: statement.int64(0)))
      }
      return result
    }
  }
}
