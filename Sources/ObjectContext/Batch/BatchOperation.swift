import ObjectModel
import ObjectQuery
import StoreContract

/// Writing without objects: each batch is one transaction, and this context's unsaved changes are
/// not part of it.
///
/// Registered objects, in this context and the coordinator's others, then show what the batch did:
/// unchanged ones turn into faults, deleted ones become deleted (`isDeleted`), and to-manys are
/// read again. Changed objects keep their changes over the new row (one statement for each root
/// entity with changed objects). If a batch changed the same row, or a batch of another context
/// deleted it, saving is a conflict. Live results are fetched again.
struct BatchOperation: GraphOperation {
  let graph: ObjectGraph

  /// Inserts rows for as long as a closure fills one and answers true.
  func insert(into entityName: String, _ next: (BatchRow) throws -> Bool) throws -> BatchResult {
    let entity = try entity(named: entityName)
    let result = try writing {
      try persistentStoreCoordinator.persistentStore(for: entity).insert(into: entity, next: next)
    }
    if entity.derivedEntities.isEmpty {
      persistentStoreCoordinator.post(.batch(.insertion), from: inbox)
    } else {
      persistentStoreCoordinator.post(.batch(.update), from: inbox)
    }
    if result.count > 0 {
      try graph.faulting.refreshAfterBatch(isInsertion: entity.derivedEntities.isEmpty)
      showBatch()
    }
    return result
  }

  /// Gives attributes and to-ones of every object that a request selects new values.
  func update(
    _ request: FetchRequest, set values: [String: AttributeValue]
  ) throws -> BatchResult {
    try Validation(plans).check(values, of: try entity(named: request.entityName))
    let result = try writing {
      try persistentStoreCoordinator.store(forEntityNamed: request.entityName).update(
        BatchUpdate(request, set: values))
    }
    if result.count > 0 {
      persistentStoreCoordinator.post(.batch(.update), from: inbox)
      try graph.faulting.refreshAfterBatch()
      showBatch()
    }
    return result
  }

  /// Deletes every object that a request selects, with the model's delete rules.
  func delete(_ request: FetchRequest) throws -> BatchResult {
    _ = try entity(named: request.entityName)
    let result = try writing {
      try persistentStoreCoordinator.store(forEntityNamed: request.entityName).delete(matching: request)
    }
    if result.count > 0 {
      persistentStoreCoordinator.post(.batch(.deletion), from: inbox)
      try graph.merging.mergeDeletions(keepsChanges: false)
      showBatch()
    }
    return result
  }

  /// Runs a write past the objects while no store is moved.
  ///
  /// Its numbers may be of a store that was moved or removed since this context looked last, and be
  /// other objects' now.
  /// - Throws: `objectOfAnotherContext` then.
  func writing<R>(_ body: () throws -> R) throws -> R {
    let known = graph.knownRemovals
    graph.forgetClosedStores()
    return try persistentStoreCoordinator.writing.shared {
      guard persistentStoreCoordinator.storeRemovals == known else {
        throw ContextError(
          .objectOfAnotherContext,
          "nothing was written: a store was moved or removed meanwhile; fetch the object IDs again and try"
            + " again"
        )
      }
      return try graph.withTransactionOrigin(body)
    }
  }

  /// Refreshes live results, since the batch may have changed rows that are not registered as
  /// objects.
  func showBatch() {
    if !notifications.hasLiveResults { return }
    notifications.markStale()
    notifications.scheduleEventEnd()
  }

  private func entity(named name: String) throws -> EntityDescription {
    guard let entity = model.entity(named: name) else {
      throw ContextError(.unknownKey, "the model has no entity \(name)")
    }
    return entity
  }
}

extension ObjectGraph {
  var batches: BatchOperation { BatchOperation(graph: self) }
}
