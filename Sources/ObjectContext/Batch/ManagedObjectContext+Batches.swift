public import ObjectModel
public import ObjectQuery
public import StoreContract

/// Writing without objects, each batch in one transaction of its own, past this context's unsaved changes.
///
/// Objects that are alive, here and in the coordinator's other contexts, then see what the batch did: unchanged ones
/// turn into faults, deleted ones say so (`isDeleted`), and to-manys are read again. Changed objects keep their changes
/// above the new row (one statement a root entity with changed objects); where a batch changed the same row, or another context's
/// deleted it, saving them is a conflict. Live results are fetched anew.
extension ManagedObjectContext {
  /// Inserts rows for as long as a closure fills one and answers true. Memory stays the same whatever their number.
  /// One statement is prepared, and runs once a row.
  /// - Throws: `ContextError` for an unknown entity; `StoreError`: `notUnique`, `invalidValue` for a missing required
  ///   value, `conflict` for a destination that does not exist. Nothing is inserted then.
  @discardableResult
  public func batchInsert(into entityName: String, _ next: (BatchRow) throws -> Bool) throws -> BatchResult {
    let entity = try entity(named: entityName)
    let result = try writing {
      try persistentStoreCoordinator.persistentStore(for: entity).insert(into: entity, next: next)
    }
    if entity.derivedEntities.isEmpty {
      persistentStoreCoordinator.post(.batchInserted, from: inbox)
    } else {
      persistentStoreCoordinator.post(.batchUpdated, from: inbox)
    }
    if result.count > 0 {
      try refreshAfterBatch(isInsertion: entity.derivedEntities.isEmpty)
      showBatch()
    }
    return result
  }

  /// Inserts a row for each element of a sequence.
  /// - Throws: as `batchInsert(into:_:)`.
  @discardableResult
  public func batchInsert<S: Sequence>(
    into entityName: String, of elements: S, _ fill: (BatchRow, S.Element) throws -> Void
  ) throws -> BatchResult {
    var iterator = elements.makeIterator()
    return try batchInsert(into: entityName) { row in
      guard let element = iterator.next() else { return false }
      try fill(row, element)
      return true
    }
  }

  /// Inserts a row for each dictionary, whose keys are attributes and to-ones (as `.reference`).
  /// - Throws: as `batchInsert(into:_:)`, and `notFound` for an unknown key.
  @discardableResult
  public func batchInsert(
    into entityName: String, dictionaries: some Sequence<[String: AttributeValue]>
  ) throws -> BatchResult {
    try batchInsert(into: entityName, of: dictionaries) { row, values in
      for (name, value) in values { try row.set(name, value) }
    }
  }

  /// Gives attributes and to-ones of every object that a request selects new values. One statement.
  ///
  /// Types, required values and the attributes' minimum, maximum and pattern are checked; hooks of objects are not
  /// called.
  /// - Throws: `ContextError` with code `validation`, `StoreError`; nothing is changed then.
  @discardableResult
  public func batchUpdate(
    _ request: FetchRequest, set values: [String: AttributeValue]
  ) throws -> BatchResult {
    try Validation(plans).check(values, of: try entity(named: request.entityName))
    let result = try writing {
      try persistentStoreCoordinator.store(forEntityNamed: request.entityName).update(
        BatchUpdate(request, set: values))
    }
    if result.count > 0 {
      persistentStoreCoordinator.post(.batchUpdated, from: inbox)
      try refreshAfterBatch()
      showBatch()
    }
    return result
  }

  /// Deletes every object that a request selects, with the model's delete rules. A few statements a relationship.
  /// - Throws: `StoreError` with code `denied` when a rule forbids it; nothing is deleted then.
  @discardableResult
  public func batchDelete(_ request: FetchRequest) throws -> BatchResult {
    _ = try entity(named: request.entityName)
    let result = try writing {
      try persistentStoreCoordinator.store(forEntityNamed: request.entityName).delete(matching: request)
    }
    if result.count > 0 {
      persistentStoreCoordinator.post(.batchDeleted, from: inbox)
      try mergeDeletions(keepsChanges: false)
      showBatch()
    }
    return result
  }

  /// Runs a write past the objects while no store is moved. Its numbers may be of a store that was moved or removed since this context
  /// looked last, and be other objects' now.
  /// - Throws: `foreignObject` then.
  func writing<R>(_ body: () throws -> R) throws -> R {
    let known = knownRemovals
    forgetClosedStores()
    return try persistentStoreCoordinator.writing.shared {
      guard persistentStoreCoordinator.storeRemovals == known else {
        throw ContextError(
          .objectOfAnotherContext,
          "nothing was written: a store was moved or removed meanwhile; take the objects' IDs anew and try again"
        )
      }
      return try body()
    }
  }

  /// Rows changed that are no objects here, of which live results hear in no other way.
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
