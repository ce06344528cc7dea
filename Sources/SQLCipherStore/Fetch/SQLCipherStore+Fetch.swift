import CipherDatabase
public import ObjectModel
public import ObjectQuery
public import StoreContract

/// One statement for each call, prepared once for all requests of the same shape. What SQL does not
/// express is filtered, sorted and cut in memory over the rows that the rest selects; a filter over
/// relationships then fires them row by row.
extension SQLCipherStore {
  /// The nodes of a request's objects.
  ///
  /// One statement.
  public func fetchNodes(_ request: FetchRequest, lookup: (any NodeLookup)?) throws -> [IncrementalStoreNode]
  {
    let opened = try open
    return try translating(path) { try nodes(request, lookup, in: opened) }
  }

  /// The IDs of a request's objects.
  ///
  /// One statement.
  public func fetchObjectIDs(_ request: FetchRequest) throws -> [ManagedObjectID] {
    let opened = try open
    return try translating(path) { try objectIDs(request, in: opened) }
  }

  /// The number of a request's objects.
  ///
  /// One statement.
  public func count(for request: FetchRequest) throws -> Int {
    let opened = try open
    return try translating(path) {
      let shape = try RequestShape(request, returning: .count)
      let plan = try plan(shape, in: opened)
      if plan.needsEvaluation { return try evaluated(plan, shape, nil, in: opened).count }
      return try run(plan, shape, in: opened) { try $0.step() ? Int($0.int64(0)) : 0 }
    }
  }

  /// The rows of a request as dictionaries.
  ///
  /// One statement.
  public func fetchDictionaries(_ request: FetchRequest) throws -> [[String: AttributeValue]] {
    let opened = try open
    return try translating(path) {
      let shape = try RequestShape(request, returning: .dictionaries)
      let plan = try plan(shape, in: opened)
      if !plan.needsEvaluation {
        return try run(plan, shape, in: opened) { try dictionaries($0, plan, shape.request) }
      }
      let rows = try candidates(plan, shape, nil, in: opened)
      return try FetchEvaluation(shape.request, entity: plan.entity).dictionaries(rows, in: self)
    }
  }

  private func nodes(_ request: FetchRequest, _ lookup: (any NodeLookup)?, in opened: Opened) throws
    -> [IncrementalStoreNode]
  {
    let shape = try RequestShape(request, returning: .objects)
    let plan = try plan(shape, in: opened)
    if plan.needsEvaluation { return try evaluated(plan, shape, lookup, in: opened) }
    return try run(plan, shape, in: opened) { try nodes($0, plan, lookup, in: opened) }
  }

  func objectIDs(_ request: FetchRequest, in opened: Opened) throws -> [ManagedObjectID] {
    let shape = try RequestShape(request, returning: .objectIDs)
    let plan = try plan(shape, in: opened)
    if plan.needsEvaluation { return try evaluated(plan, shape, nil, in: opened).map { $0.objectID } }
    return try run(plan, shape, in: opened) { try objectIDs($0, plan, in: opened) }
  }

  /// The nodes of a request that memory has to evaluate.
  private func evaluated(
    _ plan: FetchPlan, _ shape: RequestShape, _ lookup: (any NodeLookup)?, in opened: Opened
  ) throws -> [IncrementalStoreNode] {
    let rows = try candidates(plan, shape, lookup, in: opened)
    return try FetchEvaluation(shape.request, entity: plan.entity).nodes(rows, in: self)
  }

  /// The nodes that a request is evaluated over.
  ///
  /// They are read before, since relationships that the evaluation reads take a connection of their
  /// own.
  private func candidates(
    _ plan: FetchPlan, _ shape: RequestShape, _ lookup: (any NodeLookup)?, in opened: Opened
  ) throws -> [IncrementalStoreNode] {
    let request = shape.request
    // Ranks depend on the statistics of all rows.
    guard request.search != nil else {
      return try run(plan, shape, in: opened) { try nodes($0, plan, lookup, in: opened) }
    }
    var all = FetchRequest(request.entityName)
    all.includesSubentities = request.includesSubentities
    return try nodes(all, lookup, in: opened)
  }

  /// Runs a plan's statement on a connection for reading.
  private func run<Result>(
    _ plan: FetchPlan, _ shape: RequestShape, in opened: Opened, _ read: (Statement) throws -> Result
  ) throws -> Result {
    try opened.pool.fetch { connection in
      let statement = try plan.bound(connection, shape)
      defer { statement.reset() }
      return try read(statement)
    }
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
      if let lookup {
        nodes.append(try plan.select.node(statement, builder: builder, opened: opened, lookup: lookup))
      } else {
        nodes.append(try plan.select.node(statement, builder: builder, opened: opened))
      }
      if let monitor, nodes.count % FetchProgress.stride == 0 {
        try monitor.checkCancellation()
        monitor.report(nodes.count)
      }
    }
    monitor?.report(nodes.count)
    return plan.isSortedAfterwards ? nodes.inOrder { $0.reference } : nodes
  }

  private func objectIDs(
    _ statement: Statement, _ plan: FetchPlan, in opened: Opened
  ) throws -> [ManagedObjectID] {
    let entity = plan.entity
    var result: [ManagedObjectID] = []
    while try statement.step() {
      let index = entity.hasSubentities ? try opened.entityIndex(number: statement.int64(1)) : entity.index
      result.append(ManagedObjectID(opened.storeEntities[index], reference: statement.int64(0)))
    }
    return plan.isSortedAfterwards ? result.inOrder { $0.reference } : result
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

extension Array {
  /// The elements in ascending order of their numbers, which they mostly are in already.
  @inline(__always)
  fileprivate func inOrder(_ number: (Element) -> Int64) -> [Element] {
    var last = Int64.min
    for element in self {
      let next = number(element)
      if next < last { return sorted { number($0) < number($1) } }
      last = next
    }
    return self
  }
}
