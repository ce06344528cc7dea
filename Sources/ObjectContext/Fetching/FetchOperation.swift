import ObjectModel
import ObjectQuery
import StoreContract

struct FetchOperation: GraphOperation {
  let graph: ObjectGraph

  /// The objects of a request, including pending changes unless the request excludes them.
  func fetch<T: ManagedObject>(_ request: FetchRequest, as type: T.Type = ManagedObject.self) throws
    -> [T]
  {
    let entity = try check(request, type)
    let objects = try fetchObjects(request)
    if !request.relationshipKeyPathsForPrefetching.isEmpty {
      try prefetch(for: request, of: objects, entity)
    }
    return try cast(objects, of: entity)
  }

  /// Fetched objects as their class, which was checked for the entity.
  ///
  /// - Throws: `wrongType` where a changed object is still of a superentity: it was read without its row.
  func cast<T: ManagedObject>(_ objects: [ManagedObject], of entity: EntityDescription) throws -> [T] {
    let mayDiffer = entity.superentity != nil && T.self != ManagedObject.self
    guard !mayDiffer || objects.allSatisfy({ $0.entity.isKind(of: entity) }) else {
      throw ContextError(
        .wrongType,
        "a changed object was read while it was deleted, before it was known to be a \(entity.name);"
          + " refresh it and fetch again")
    }
    // Objects are made of the classes of their entity's hierarchy, so each is a T.
    return unsafeBitCast(objects, to: [T].self)
  }

  /// The request's entity, whose objects are of a class.
  func check<T: ManagedObject>(_ request: FetchRequest, _ type: T.Type) throws -> EntityDescription {
    guard let entity = model.entity(named: request.entityName) else {
      throw ContextError(.unknownKey, "the model has no entity \(request.entityName)")
    }
    guard entity.hierarchy.allSatisfy({ $0.isAbstract || classes[$0.index] is T.Type }) else {
      throw ContextError(.wrongType, "\(request.entityName) objects are not \(T.self)")
    }
    return entity
  }

  func count(for request: FetchRequest) throws -> Int {
    if try pendingChanges(request) == nil { return try source.count(for: request) }
    return try fetchObjects(request).count
  }

  func fetchDictionaries(_ request: FetchRequest) throws -> [[String: AttributeValue]] {
    try source.fetchDictionaries(request)
  }

  func fetchObjectIDs(_ request: FetchRequest) throws -> [ManagedObjectID] {
    if try pendingChanges(request) == nil { return try source.fetchObjectIDs(request) }
    return try fetchObjects(request).map(\.objectID)
  }

  private func fetchObjects(_ request: FetchRequest) throws -> [ManagedObject] {
    try graph.merging.mergeChanges()
    let pending = try pendingChanges(request)
    if pending == nil, request.returnsObjectsAsFaults || request.fetchBatchSize > 0 {
      return faults(try source.fetchObjectIDs(request), pages: request.fetchBatchSize)
    }
    if pending == nil, request.resultType == .objects, !request.shouldRefreshRefetchedObjects {
      return try objects(source.fetchNodes(request, lookup: lookup(request)), request, nil)
    }
    let stored = storedRequest(request, pending)
    return try objects(source.fetchNodes(stored, lookup: lookup(stored)), request, pending)
  }

  /// What the store is asked: all objects that may match the request, where unsaved changes count.
  func storedRequest(_ request: FetchRequest, _ pending: PendingChanges?) -> FetchRequest {
    var stored = request.returning(.objects)
    // Changes can only be based on a whole row.
    if request.shouldRefreshRefetchedObjects { stored.propertiesToFetch = nil }
    if let pending {
      stored.fetchLimit = nil
      stored.fetchOffset = 0
      stored.propertiesToFetch = nil
      // Rows that reference changed objects have to be matched in memory too.
      if pending.areTraversed { stored.predicate = pending.widened(request.predicate) }
    }
    return stored
  }

  /// The objects of a request, made from the rows that the store returned.
  func objects(
    _ nodes: [IncrementalStoreNode], _ request: FetchRequest, _ pending: PendingChanges?
  ) throws -> [ManagedObject] {
    if request.shouldRefreshRefetchedObjects { try refreshChanged(nodes) }
    if let pending { return try addingPending(nodes, request, pending) }
    let isWhole = request.propertiesToFetch == nil || request.shouldRefreshRefetchedObjects
    return try isWhole ? realize(nodes) : realizePartly(nodes, request)
  }

  /// Rebases the changes of updated objects on the rows just read.
  private func refreshChanged(_ nodes: [IncrementalStoreNode]) throws {
    for node in nodes {
      guard let known = registry.object(node.entity, node.reference), known.isUpdated, !known.isDeleted else {
        continue
      }
      try graph.relationships.rebase(known, on: node)
    }
  }

  /// Faults with partially read rows: those of the fetched properties.
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
          .unknownKey,
          "\(column.name) is no property of the entity, and objects are fetched with properties only")
      }
      names.insert(path[0])
    }
    let batch = FetchBatch(first.entity.root, nodes.map { $0.reference }, generation: tracker.generation)
    // A property has the same field in the rows of the whole hierarchy.
    batch.keepPartial(nodes, fields: Set(names.compactMap { entity.propertyIndex(named: $0)?.field }))
    return nodes.map { node in
      guard let known = registered(node.reference, node.storeEntity) else {
        return graph.make(node.storeEntity, node.reference, nil, batch)
      }
      graph.faulting.turnBackIntoFault(known)
      if known.isFault { known.batch = batch }
      return known
    }
  }

  /// Nil where no object is registered.
  func lookup(_ request: FetchRequest) -> (any NodeLookup)? {
    guard request.propertiesToFetch == nil, let entity = model.entity(named: request.entityName) else {
      return nil
    }
    return registry.box(of: entity).map.count == 0 ? nil : graph
  }

  /// Faults that fire by pages of a size; a size of 0 makes one page of all faults.
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
        let known = registered(id.reference, id.storeEntity)
        if let known { graph.faulting.turnBackIntoFault(known) }
        objects.append(known ?? graph.make(id.storeEntity, id.reference, nil, batch))
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
      if let known = box.map.object(node.reference), isKnown(known, node.storeEntity) {
        adopt(node, known)
        if known.state.contains(.deletedInStore) { continue }
        known.batch = batch ?? known.batch
        objects.append(known)
      } else {
        objects.append(graph.make(node.storeEntity, node.reference, node, batch))
      }
    }
    return objects
  }

  private func registered(_ reference: Int64, _ storeEntity: StoreEntity) -> ManagedObject? {
    guard let known = registry.object(storeEntity.entity, reference), isKnown(known, storeEntity) else {
      return nil
    }
    return known
  }

  /// Whether an object is of the entity that its row has; one without changes is forgotten otherwise.
  ///
  /// Where a relationship leads to an object without a row, it is made with the relationship's destination.
  @inline(__always)
  private func isKnown(_ known: ManagedObject, _ storeEntity: StoreEntity) -> Bool {
    if known.storeEntity.entityIndex == storeEntity.entityIndex || known.hasChanges { return true }
    graph.forget(known)
    return false
  }

  /// Gives an object a row read for it.
  ///
  /// A changed object retains the row that its changes are based on, so that a save detects changes
  /// made elsewhere.
  func adopt(_ node: IncrementalStoreNode, _ object: ManagedObject) {
    guard object.canAdopt(node) else { return }
    if object.state.contains(.deletedInStore) {
      // Only a newer row revives the object: the row may have been read before the deletion was
      // known.
      if node.version > object.node?.version ?? 0 { graph.faulting.revive(object, node) }
      return
    }
    if object.node != nil, object.hasChanges || node.isIdentical(to: object.node) { return }
    // A row that was read on another thread may be older than the object's row.
    if let registered = object.node, registered.version > node.version { return }
    let registered = object.node?.version
    object.node = node
    guard let registered else { return object.awakeFromFetch() }
    // The same state, read again: transient values stay, and nothing is reported.
    if registered == node.version { return }
    object.changes = nil
    if object.reportsChanges { object.valuesDidChange(at: nil) }
    notifications.record(.refreshed, object)
  }

  // MARK: Unsaved changes

  /// The unsaved changes that may change a request's result; nil when none may.
  func pendingChanges(_ request: FetchRequest) throws -> PendingChanges? {
    if !request.includesPendingChanges || !tracker.hasChanges || request.search != nil { return nil }
    try request.checkNesting()
    if let affected = request.affectedStores,
      !affected.contains(try persistentStoreCoordinator.store(forEntityNamed: request.entityName).identifier)
    {
      return nil
    }
    guard let entity = model.entity(named: request.entityName) else {
      throw ContextError(.unknownKey, "the model has no entity \(request.entityName)")
    }
    return PendingChanges(of: tracker, for: request, entity)
  }

  /// The unchanged objects that the store returned, and the changed objects that match now.
  private func addingPending(
    _ nodes: [IncrementalStoreNode], _ request: FetchRequest, _ pending: PendingChanges
  ) throws -> [ManagedObject] {
    let entity = pending.entity
    var objects = realize(nodes).filter { !$0.hasChanges }
    let predicate = try request.predicate.map { try ResolvedPredicate($0, for: entity) }
    if pending.areTraversed { objects = try objects.filter { try predicate?.matches($0) ?? true } }
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

extension ObjectGraph {
  var fetching: FetchOperation { FetchOperation(graph: self) }
}
