public import ObjectModel
public import ObjectQuery
public import StoreContract

extension ManagedObjectContext: NodeLookup {
  /// The row held for an object of this context.
  public func registeredNode(_ root: EntityDescription, _ reference: Int64) -> IncrementalStoreNode? {
    registry.object(root, reference)?.node
  }
}

extension ManagedObjectContext {
  /// The objects a request asks for, with this context's unsaved changes taken into account unless the request says
  /// not to. One statement; objects that are here already keep what was changed in them.
  /// - Throws: `StoreError` when the store refuses, `ContextError` when the objects are not of the class asked for.
  public func fetch<T: ManagedObject>(_ request: FetchRequest, as type: T.Type = ManagedObject.self) throws
    -> [T]
  {
    let entity = try check(request, type)
    let objects = try fetchObjects(request)
    if !request.relationshipKeyPathsForPrefetching.isEmpty {
      try prefetch(for: request, of: objects, entity)
    }
    // The classes of a family are what its objects are made of, so each is a T.
    return unsafeBitCast(objects, to: [T].self)
  }

  /// The request's entity, whose objects are of a class.
  func check<T: ManagedObject>(_ request: FetchRequest, _ type: T.Type) throws -> EntityDescription {
    guard let entity = model.entity(named: request.entityName) else {
      throw ContextError(.unknownKey, "the model has no entity \(request.entityName)")
    }
    guard entity.hierarchy.allSatisfy({ $0.isAbstract || classes[$0.index] is T.Type }) else {
      throw ContextError(.objectOfAnotherContext, "\(request.entityName) objects are not \(T.self)")
    }
    return entity
  }

  /// The objects of the entity a class is registered for.
  /// - Throws: as `fetch(_:as:)`.
  public func fetch<T: ManagedObject>(
    _ type: T.Type, where predicate: FetchPredicate? = nil, sort: [FetchSortDescriptor] = [],
    limit: Int? = nil
  ) throws -> [T] {
    try fetch(
      FetchRequest(try entity(for: type).name, where: predicate, sortDescriptors: sort, fetchLimit: limit),
      as: type)
  }

  /// How many objects a request would bring. One statement; counts this context's changes in by fetching, when
  /// there are any.
  /// - Throws: `StoreError` when the store refuses.
  public func count(for request: FetchRequest) throws -> Int {
    var request = request
    if try isTouched(request) {
      request.resultType = .objects
      return try fetchObjects(request).count
    }
    request.resultType = .count
    guard case .count(let count) = try source.fetch(request, lookup: nil) else { return 0 }
    return count
  }

  /// The rows of a request as dictionaries, with aggregates and groups. Leaves unsaved changes out. One statement.
  /// - Throws: `StoreError` when the store refuses.
  public func fetchDictionaries(_ request: FetchRequest) throws -> [[String: AttributeValue]] {
    var request = request
    request.resultType = .dictionaries
    guard case .dictionaries(let rows) = try source.fetch(request, lookup: nil) else { return [] }
    return rows
  }

  /// The IDs of a request's objects, with this context's unsaved changes taken into account unless the request says not
  /// to: those of new objects are temporary. One statement; no object is made, unless there are changes that count.
  /// - Throws: `StoreError` when the store refuses.
  public func fetchObjectIDs(_ request: FetchRequest) throws -> [ManagedObjectID] {
    guard try isTouched(request) else { return try storedIDs(request) }
    var request = request
    request.resultType = .objects
    return try fetchObjects(request).map(\.objectID)
  }

  /// The IDs of a request's objects in the store. One statement.
  func storedIDs(_ request: FetchRequest) throws -> [ManagedObjectID] {
    var request = request
    request.resultType = .objectIDs
    guard case .objectIDs(let ids) = try source.fetch(request, lookup: nil) else { return [] }
    return ids
  }

  /// How a request is answered: the SQL, the plan of the database library, and the indexes that would help. Leaves
  /// unsaved changes out. Two statements; no row is read.
  /// - Throws: as the fetch.
  public func queryPlan(for request: FetchRequest) throws -> QueryPlan {
    try persistentStoreCoordinator.store(forEntityNamed: request.entityName).queryPlan(for: request)
  }

  private func fetchObjects(_ request: FetchRequest) throws -> [ManagedObject] {
    try mergeChanges()
    if request.returnsObjectsAsFaults || request.fetchBatchSize > 0, !(try isTouched(request)) {
      return faults(try storedIDs(request), pages: request.fetchBatchSize)
    }
    let question = try question(request)
    guard case .nodes(let nodes) = try source.fetch(question, lookup: lookup(question)) else {
      return []
    }
    return try objects(nodes, request)
  }

  /// What the store is asked: all objects that may meet the request, where unsaved changes count.
  func question(_ request: FetchRequest) throws -> FetchRequest {
    var whole = request
    whole.resultType = .objects
    // Only a whole row can stand beneath changes.
    if request.shouldRefreshRefetchedObjects { whole.propertiesToFetch = nil }
    if try isTouched(request) {
      whole.fetchLimit = nil
      whole.fetchOffset = 0
      whole.propertiesToFetch = nil
      // Rows that lead to changed objects have to be judged here too.
      if traversesChanges(request) { whole.predicate = widened(request) }
    }
    return whole
  }

  /// The objects of a request, of the rows that its question brought.
  func objects(_ nodes: [IncrementalStoreNode], _ request: FetchRequest) throws -> [ManagedObject] {
    if request.shouldRefreshRefetchedObjects { try refreshChanged(nodes) }
    if try isTouched(request) { return try addingPending(nodes, request) }
    return try question(request).propertiesToFetch == nil ? realize(nodes) : realizePartly(nodes, request)
  }

  /// Changed objects take the rows just read beneath their changes.
  private func refreshChanged(_ nodes: [IncrementalStoreNode]) throws {
    for node in nodes {
      guard let known = registry.object(node.entity, node.reference), known.isUpdated, !known.isDeleted else {
        continue
      }
      try rebase(known, on: node)
    }
  }

  /// Faults that know the properties that were read.
  private func realizePartly(_ nodes: [IncrementalStoreNode], _ request: FetchRequest) throws
    -> [ManagedObject]
  {
    guard let first = nodes.first, let entity = model.entity(named: request.entityName) else { return [] }
    var names: Set<String> = []
    for column in request.propertiesToFetch ?? [] {
      guard let path = column.keyPath, path.count == 1, column.aggregate == nil,
        entity.property(named: path[0]) != nil
      else {
        throw ContextError(
          .unknownKey, "objects are fetched with properties of their own; \(column.name) is none")
      }
      names.insert(path[0])
    }
    let batch = FetchBatch(first.entity.root, nodes.map { $0.reference }, generation: tracker.generation)
    // A property has one place in the rows of the whole family.
    batch.keepPartial(nodes, fields: Set(names.compactMap { entity.propertyIndex(named: $0)?.field }))
    return nodes.map { node in
      guard let known = registry.object(node.entity, node.reference) else {
        return make(node.storeEntity, node.reference, nil, batch)
      }
      turnBackIntoFault(known)
      if known.isFault { known.batch = batch }
      return known
    }
  }

  /// Nothing is looked up where nothing is held.
  func lookup(_ request: FetchRequest) -> (any NodeLookup)? {
    guard request.propertiesToFetch == nil, let entity = model.entity(named: request.entityName) else {
      return nil
    }
    return registry.box(of: entity).map.count == 0 ? nil : self
  }

  /// Faults that fire a page at a time; 0 for all in one.
  private func faults(_ ids: [ManagedObjectID], pages size: Int) -> [ManagedObject] {
    guard let first = ids.first else { return [] }
    registry.box(of: first.entity).map.reserve(ids.count)
    var objects: [ManagedObject] = []
    objects.reserveCapacity(ids.count)
    let step = size > 0 ? size : ids.count
    for start in stride(from: 0, to: ids.count, by: step) {
      let page = ids[start..<min(start + step, ids.count)]
      let batch = FetchBatch(first.entity.root, page.map { $0.reference }, generation: tracker.generation)
      for id in page {
        let known = registry.object(first.entity, id.reference)
        if let known { turnBackIntoFault(known) }
        objects.append(known ?? make(id.storeEntity, id.reference, nil, batch))
      }
    }
    return objects
  }

  /// The objects of rows that were just read.
  func realize(_ nodes: [IncrementalStoreNode]) -> [ManagedObject] {
    guard let first = nodes.first else { return [] }
    let root = first.entity.root
    let box = registry.box(of: root)
    var batch: FetchBatch?
    if nodes.count > 1 {
      box.map.reserve(nodes.count)
      batch = FetchBatch(root, nodes.map { $0.reference }, generation: tracker.generation)
    }
    var objects: [ManagedObject] = []
    objects.reserveCapacity(nodes.count)
    for node in nodes {
      if let known = box.map.object(node.reference) {
        adopt(node, known)
        if known.state.contains(.deletedInStore) { continue }
        known.batch = batch ?? known.batch
        objects.append(known)
      } else {
        objects.append(make(node.storeEntity, node.reference, node, batch))
      }
    }
    return objects
  }

  /// Gives an object a row read for it. A changed object keeps the row its changes started from, so that a save
  /// finds out if somebody else changed it in between.
  func adopt(_ node: IncrementalStoreNode, _ object: ManagedObject) {
    if object.state.contains(.deletedInStore) {
      // Only a row stored since brings it back, and none that was read before it was known to be deleted.
      if node.version > object.node?.version ?? 0 { revive(object, node) }
      return
    }
    if object.node != nil, object.hasChanges || node.isIdentical(to: object.node) { return }
    // What was read on another thread may be older than what was read here since.
    if let held = object.node, held.version > node.version { return }
    let held = object.node?.version
    object.node = node
    guard let held else { return object.awakeFromFetch() }
    object.changes = nil
    if object.reportsChanges { object.valuesDidChange(at: nil) }
    if held != node.version { notifications.record(.refreshed, object) }
  }

  // MARK: Unsaved changes

  /// Whether unsaved changes may change the request's answer.
  func isTouched(_ request: FetchRequest) throws -> Bool {
    if !request.includesPendingChanges || !hasChanges || request.search != nil { return false }
    try request.checkNesting()
    if let affected = request.affectedStores,
      !affected.contains(try persistentStoreCoordinator.store(forEntityNamed: request.entityName).identifier)
    {
      return false
    }
    guard let entity = model.entity(named: request.entityName) else {
      throw ContextError(.unknownKey, "the model has no entity \(request.entityName)")
    }
    return tracker.pending.contains { $0.entity.isKind(of: entity) } || traversesChanges(request)
  }

  /// Whether the request's conditions or order lead to objects with unsaved changes.
  private func traversesChanges(_ request: FetchRequest) -> Bool {
    guard hasChanges, let entity = model.entity(named: request.entityName) else { return false }
    let roots = ReferencedKeyPaths(request, from: entity).roots(from: entity)
    return !roots.isEmpty && tracker.pending.contains { roots.contains($0.entity.root) }
  }

  /// The condition, or leading to an object with unsaved changes; nil where that cannot be told.
  private func widened(_ request: FetchRequest) -> FetchPredicate? {
    guard let entity = model.entity(named: request.entityName), let predicate = request.predicate else {
      return nil
    }
    let reach = ReferencedKeyPaths(request, from: entity)
    if reach.hasOthers { return nil }
    let changed = Dictionary(grouping: tracker.pending.filter { $0.reference > 0 }, by: \.entity.root)
    let leading = reach.paths.compactMap { path -> FetchPredicate? in
      guard let objects = changed[path.destination.root] else { return nil }
      let references = Set(objects.map(\.reference)).sorted().map { FetchExpression.value(.reference($0)) }
      return .comparison(
        FetchComparison(
          .keyPath(path.names), .in, .list(references), modifier: path.isToMany ? .any : .direct))
    }
    return .or([predicate] + leading)
  }

  /// What the store brings for unchanged objects, and this context's changed ones judged as they are now.
  private func addingPending(
    _ nodes: [IncrementalStoreNode], _ request: FetchRequest
  ) throws -> [ManagedObject] {
    guard let entity = model.entity(named: request.entityName) else { return [] }
    var objects = realize(nodes).filter { !$0.hasChanges }
    let predicate = try request.predicate.map { try ResolvedPredicate($0, for: entity) }
    if traversesChanges(request) { objects = try objects.filter { try predicate?.matches($0) ?? true } }
    var seen: Set<ObjectIdentifier> = []
    for object in tracker.pending where seen.insert(ObjectIdentifier(object)).inserted {
      guard object.hasChanges, !object.isDeleted,
        request.includesSubentities ? object.entity.isKind(of: entity) : object.entity === entity
      else { continue }
      if try predicate?.matches(object) ?? true { objects.append(object) }
    }
    let sort = try ResolvedSort(request.sortDescriptors, for: entity)
    try objects.sort { try sort.areInIncreasingOrder($0, $1) }
    return request.page(of: objects)
  }
}

extension ManagedObject: QueryObject {
  /// The object's entity.
  public final var queryEntity: EntityDescription { entity }
  /// The object's number.
  public final var queryReference: Int64 { reference }
  /// An attribute's present value. One statement for the batch when the object is a fault.
  /// - Throws: `objectGone`.
  public final func queryValue(of attribute: AttributeDescription) throws -> AttributeValue {
    try slotValue(.attribute(attribute))
  }
  /// A to-one's present destination. One statement for the batch when the object is a fault.
  /// - Throws: `objectGone`.
  public final func queryDestination(of toOne: RelationshipDescription) throws -> (any QueryObject)? {
    try destination(toOne)
  }
  /// A to-many's present destinations. The first read issues one statement for the batch.
  /// - Throws: `objectGone`.
  public final func queryDestinations(of toMany: RelationshipDescription) throws -> [any QueryObject] {
    try destinations(toMany).map { $0 }
  }
}
