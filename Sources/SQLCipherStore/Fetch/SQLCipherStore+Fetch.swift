import CipherDatabase
import ObjectModel
import ObjectQuery
import StoreContract

extension SQLCipherStore {
  /// One statement, prepared once for all requests of the same shape. What SQL does not express is filtered, sorted
  /// and cut in memory over the rows the rest selects; a filter over relationships then fires them row by row.
  func execute(_ request: FetchRequest, lookup: (any NodeLookup)?, in opened: Opened) throws -> StoreResult {
    let shape = try RequestShape(request)
    let plan = try plan(shape, in: opened)
    let constants = shape.constants
    let result = try opened.pool.read { connection -> StoreResult? in
      let statement = try plan.bound(connection, request, constants)
      defer { statement.reset() }
      guard let monitor = FetchProgress.current else { return try read(statement, connection) }
      // The monitor calls it only while the body runs, and the library allows it from any thread.
      nonisolated(unsafe) let running = connection
      return try monitor.interruptible({ running.interrupt() }) { try read(statement, connection) }
    }
    func read(_ statement: Statement, _ connection: Connection) throws -> StoreResult? {
      // Ranks are by the statistics of all rows.
      if plan.needsEvaluation, request.search != nil { return nil }
      if plan.needsEvaluation { return .nodes(try nodes(statement, plan, lookup, in: opened)) }
      switch request.resultType {
      case .count: return .count(try statement.step() ? Int(statement.int64(0)) : 0)
      case .objectIDs: return .objectIDs(try objectIDs(statement, of: plan.entity, in: opened))
      case .dictionaries:
        return .dictionaries(try dictionaries(statement, plan, request))
      case .objects: return .nodes(try nodes(statement, plan, lookup, in: opened))
      }
    }
    if let result, !plan.needsEvaluation { return result }
    // Relationships that the evaluation reads take a connection themselves, so it runs after this one is back.
    var rows: [IncrementalStoreNode] = []
    if case .nodes(let selected)? = result {
      rows = selected
    } else {
      var all = FetchRequest(request.entityName)
      all.includesSubentities = request.includesSubentities
      if case .nodes(let selected) = try execute(all, lookup: lookup, in: opened) { rows = selected }
    }
    return try FetchEvaluation(request, entity: plan.entity).result(rows, in: self)
  }

  func plan(_ shape: RequestShape, in opened: Opened) throws -> FetchPlan {
    func make() throws -> FetchPlan {
      let request = shape.request
      guard let entity = model.entity(named: request.entityName) else {
        throw StoreError(.notFound, "the model has no entity \(request.entityName)")
      }
      _ = try FetchEvaluation(request, entity: entity)
      let (schema, select) = (opened.schema, opened.plans[entity.index])
      let plan = FetchPlan(shape, entity: entity, schema: schema, select: select)
      if !plan.isTooDeep { return plan }
      return FetchPlan(shape, entity: entity, schema: schema, select: select, isPlain: true)
    }
    let plan = try opened.fetchPlans.plan(shape, make: make)
    return plan.fits(shape.constants) ? plan : try make()
  }

  private func nodes(
    _ statement: Statement, _ plan: FetchPlan, _ lookup: (any NodeLookup)?, in opened: Opened
  ) throws -> [IncrementalStoreNode] {
    let builder = NodeBuilder()
    var nodes: [IncrementalStoreNode] = []
    let monitor = FetchProgress.current
    while try statement.step() {
      nodes.append(try plan.select.node(statement, builder: builder, opened: opened, lookup: lookup))
      if let monitor, nodes.count % FetchProgress.stride == 0 {
        if monitor.isCancelled { throw StoreError(.cancelled, "the fetch was cancelled") }
        monitor.report(nodes.count)
      }
    }
    monitor?.report(nodes.count)
    return nodes
  }

  private func objectIDs(
    _ statement: Statement, of entity: EntityDescription, in opened: Opened
  ) throws -> [ManagedObjectID] {
    var result: [ManagedObjectID] = []
    while try statement.step() {
      let index = entity.hasSubentities ? try opened.entityIndex(number: statement.int64(1)) : entity.index
      result.append(ManagedObjectID(opened.storeEntities[index], reference: statement.int64(0)))
    }
    return result
  }

  private func dictionaries(
    _ statement: Statement, _ plan: FetchPlan, _ request: FetchRequest
  ) throws -> [[String: AttributeValue]] {
    let columns = plan.dictionaryColumns ?? []
    var rows: [[String: AttributeValue]] = []
    while try statement.step() {
      var row = [String: AttributeValue](minimumCapacity: columns.count)
      for (place, column) in columns.enumerated() {
        row[column.name] = column.value(statement, Int32(place))
      }
      rows.append(row)
    }
    guard request.returnsDistinctResults, !plan.isDistinct else { return rows }
    return request.page(of: try ResolvedColumns(request, for: plan.entity).distinct(rows))
  }
}
