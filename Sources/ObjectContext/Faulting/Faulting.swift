import ObjectModel
import StoreContract

struct Faulting: GraphOperation {
  let graph: ObjectGraph

  /// The object of an ID, as a fault if it is not registered; its row need not exist.
  func object(with id: ManagedObjectID) throws -> ManagedObject {
    graph.forgetClosedStores()
    if let known = graph.registeredObject(for: id) { return known }
    if id.isTemporaryID {
      guard let known = try parent?.faulting.object(with: id) else {
        throw ContextError(
          .objectOfAnotherContext, "a temporary ID is valid in the context that made it only; save first")
      }
      return graph.make(known.storeEntity, id.reference, nil, nil)
    }
    return graph.make(try persistentStoreCoordinator.storeEntity(of: id), id.reference, nil, nil)
  }

  /// The objects of many IDs, in their order.
  ///
  /// Objects that are not registered yet are faults that fire together, with one statement.
  func objects(with ids: [ManagedObjectID]) throws -> [ManagedObject] {
    var batches: [EntityDescription: FetchBatch] = [:]
    for (entity, own) in Dictionary(grouping: ids.filter { !$0.isTemporaryID }, by: { $0.entity.root.name }) {
      guard let root = model.entity(named: entity) else { continue }
      batches[root] = FetchBatch(root, own.map(\.reference), generation: tracker.generation)
    }
    return try ids.map { id in
      let object = try object(with: id)
      if object.isFault, object.batch == nil { object.batch = batches[object.entity.root] }
      return object
    }
  }

  /// The object of an ID with its row read.
  func existingObject(with id: ManagedObjectID) throws -> ManagedObject {
    let object = try object(with: id)
    if object.isInserted || object.node != nil && !object.state.contains(.deletedInStore) { return object }
    // An object that was deleted elsewhere may have been stored again.
    guard try read(object) != nil else { throw graph.objectNotFound(object) }
    return object
  }

  /// Reads the row of a fault, with the rows of all faults of its batch in the same statement.
  func fire(_ object: ManagedObject) throws -> IncrementalStoreNode {
    if let node = try read(object) { return node }
    if shouldDeleteInaccessibleFaults { return turnInaccessibleFaultDeleted(object) }
    throw graph.objectNotFound(object)
  }

  /// Reads the row of an object; nil when the row was deleted, or is another entity's.
  private func read(_ object: ManagedObject) throws -> IncrementalStoreNode? {
    guard let node = try node(of: object), object.canAdopt(node) else { return nil }
    if object.state.contains(.deletedInStore) {
      revive(object, node)
      return node
    }
    graph.fetching.adopt(node, object)
    object.node = node
    return node
  }

  /// The row of an object's number, of its batch where that has it.
  private func node(of object: ManagedObject) throws -> IncrementalStoreNode? {
    let batch = object.state.contains(.deletedInStore) ? nil : object.batch
    if let batch {
      if let node = batch.node(object.reference, generation: tracker.generation) { return node }
      try fire(batch)
      if let node = object.node ?? batch.node(object.reference, generation: tracker.generation) {
        return node
      }
      if batch.isMissing(object.reference, generation: tracker.generation) { return nil }
    }
    guard let row = try source.newValues(for: [object.reference], of: object.entity)[0] else { return nil }
    return batch.map { rebased(row, $0) } ?? row
  }

  /// Reads the external values that were not read with an object's row.
  ///
  /// The object retains them until it turns into a fault. This takes one statement.
  ///
  /// If the stored row has changed since, an unchanged object gets the whole new row; a changed
  /// object retains its own row, and its save reports a conflict.
  func readExternal(
    _ attribute: AttributeDescription, of object: ManagedObject, _ row: IncrementalStoreNode
  ) throws -> IncrementalStoreNode {
    guard let whole = try source.wholeValues(for: object.reference, of: object.entity) else {
      guard shouldDeleteInaccessibleFaults else { throw graph.objectNotFound(object) }
      // A changed object stays, and its save is a conflict.
      if !object.hasChanges { turnDeleted(object) }
      return row
    }
    if whole.version == row.version || !object.hasChanges {
      if whole.version != row.version {
        // The loaded relationships belong to the old row.
        object.changes = nil
        object.batch = nil
        if object.reportsChanges { object.valuesDidChange(at: nil) }
      }
      object.node = whole
      return whole
    }
    let plan = plans[object.entity]
    let builder = NodeBuilder()
    builder.begin(fieldCount: plan.fields.count)
    for field in plan.fields.indices {
      builder.copy(
        field, from: field == attribute.field ? whole : row, isBytes: plan.fields[field].isBytes)
    }
    let mixed = builder.finish(object.storeEntity, reference: row.reference, version: row.version)
    object.node = mixed
    return mixed
  }

  /// A row with the version that a partial read had, if the row has changed since that read.
  ///
  /// Changes that are based on the partially read row must be a conflict when they are saved.
  private func rebased(_ node: IncrementalStoreNode, _ batch: FetchBatch) -> IncrementalStoreNode {
    guard let seen = batch.partialVersion(node.reference, generation: tracker.generation),
      seen != node.version
    else {
      return node
    }
    let plan = plans[node.entity]
    let builder = NodeBuilder()
    builder.begin(fieldCount: plan.fields.count)
    for field in plan.fields.indices { builder.copy(field, from: node, isBytes: plan.fields[field].isBytes) }
    return builder.finish(node.storeEntity, reference: node.reference, version: seen)
  }

  /// Reads the missing rows of a batch in one statement.
  func fire(_ batch: FetchBatch) throws {
    var seen: Set<Int64> = []
    let mayRepeat = !batch.isAscending
    var places: [Int] = []
    var wanted: [Int64] = []
    places.reserveCapacity(batch.references.count)
    wanted.reserveCapacity(batch.references.count)
    for (place, reference) in batch.references.enumerated() {
      guard reference > 0 || parent != nil, batch.node(at: place, generation: tracker.generation) == nil,
        registry.object(batch.entity, reference)?.node == nil, !mayRepeat || seen.insert(reference).inserted,
        !batch.isMissing(reference, generation: tracker.generation)
      else { continue }
      places.append(place)
      wanted.append(reference)
    }
    if wanted.isEmpty { return }
    for (place, node) in zip(places, try source.newValues(for: wanted, of: batch.entity)) {
      guard let node = node.map({ rebased($0, batch) }) else {
        batch.recordMissing(batch.references[place])
        continue
      }
      batch.keep(node, at: place)
      if let known = registry.object(batch.entity, node.reference) { graph.fetching.adopt(node, known) }
    }
  }

  /// The object of a relationship's reference.
  ///
  /// `hint` is its probable index in the batch.
  func materialize(
    _ reference: Int64, _ destination: EntityDescription, _ batch: FetchBatch?, hint: Int? = nil
  )
    -> ManagedObject
  {
    if let known = registry.object(destination, reference) { return known }
    if let node = batch?.node(reference, hint: hint, generation: tracker.generation) {
      return graph.make(node.storeEntity, reference, node, batch)
    }
    // A parent's new object is in no store yet, and one that it deletes has no row here.
    if let above = registeredAbove(reference, destination) {
      return graph.make(above.storeEntity, reference, nil, batch)
    }
    var entity = destination
    if destination.hasSubentities {
      if let batch, !batch.entityIndices.isEmpty, let place = batch.place(reference, hint: hint) {
        entity = model.entities[Int(batch.entityIndices[place])]
      } else {
        // Only the row says which subentity the object has. A store that fails to read it fails
        // again, and throws, when the fault fires.
        if let batch { try? fire(batch) }
        let node =
          batch?.node(reference, generation: tracker.generation)
          ?? (try? source.newValues(for: [reference], of: destination))?[0]
        if let node { return graph.make(node.storeEntity, reference, node, batch) }
      }
    }
    return graph.make(storeEntities[entity.index], reference, nil, batch)
  }

  private func registeredAbove(_ reference: Int64, _ entity: EntityDescription) -> ManagedObject? {
    var above = parent
    while let graph = above {
      if let known = graph.registry.object(entity, reference) { return known }
      above = graph.parent
    }
    return nil
  }

  /// The batch of all destinations of a to-one of an object's batch.
  func toOneBatch(_ object: ManagedObject, _ relationship: RelationshipDescription) -> FetchBatch? {
    object.batch.flatMap { toOneBatch($0, relationship) }
  }

  func toOneBatch(_ batch: FetchBatch, _ relationship: RelationshipDescription) -> FetchBatch? {
    guard relationship.field >= 0 else { return nil }
    return batch.toOneBatch(relationship, generation: tracker.generation) {
      var seen: Set<Int64> = []
      var references: [Int64] = []
      for (place, reference) in batch.references.enumerated() {
        guard
          let node = registry.object(batch.entity, reference)?.node
            ?? batch.node(at: place, generation: tracker.generation)
            ?? batch.partialNode(reference, field: relationship.field, generation: tracker.generation),
          node.entity.isKind(of: relationship.entity),
          let destination = node.reference(relationship.field), seen.insert(destination).inserted
        else { continue }
        references.append(destination)
      }
      return FetchBatch(relationship.destination, references, generation: tracker.generation)
    }
  }

  /// Loads a to-many from the store, for the object's whole batch.
  ///
  /// - `remaining`: A deleted destination that stays in the list, since the caller removes it.
  func load(_ state: ToManyState, of object: ManagedObject, keeping remaining: Int64? = nil) throws {
    let relationship = state.relationship
    if relationship.isTransient || !object.state.isDisjoint(with: [.inserted, .deletedInStore]) {
      return state.load([], nil)
    }
    let batched = try object.batch?.destinations(
      relationship, of: object.reference, generation: tracker.generation
    ) {
      try source.newValues(for: relationship, of: $0)
    }
    if let (destinations, batch) = batched {
      state.load(destinations, batch)
    } else {
      let destinations = try source.newValues(for: relationship, of: [object.reference])
      state.load(
        destinations.references[...], FetchBatch(relationship, destinations, generation: tracker.generation))
    }
    if !tracker.deleted.isEmpty, relationship.inverse?.deleteRule == .nullify {
      // Pending deletions remove objects from lists that are loaded later, too.
      state.forget { $0 != remaining && registry.object(relationship.destination, $0)?.isDeleted == true }
    }
  }
}

extension ObjectGraph {
  var faulting: Faulting { Faulting(graph: self) }
}
