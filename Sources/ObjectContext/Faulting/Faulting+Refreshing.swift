import ObjectModel
import StoreContract

extension Faulting {
  /// Refreshes an object from the store.
  func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
    guard !object.isInserted, object.graph === graph else { return }
    tracker.didChange()
    if !mergeChanges, try !dropChanges(of: object) {
      turnBackIntoFault(object)
      turnIntoFault(object)
      return notifications.record(.refreshed, object)
    }
    guard let node = try source.newValues(for: [object.reference], of: object.entity)[0] else {
      guard shouldDeleteInaccessibleFaults else { throw graph.objectNotFound(object) }
      if !object.hasUnsavedChanges, !object.state.contains(.deletedInStore) {
        turnDeleted(object)
        tracker.sweep()
      }
      return
    }
    turnBackIntoFault(object)
    tracker.removeDeferredDeletion(of: object)
    try graph.relationships.rebase(object, on: node)
    object.awakeFromSnapshotEvents(.refresh)
    notifications.record(.refreshed, object)
  }

  /// Discards an object's changes; returns whether it has some that are parts of other objects'
  /// changes: its side of their to-ones, and of their deletions.
  ///
  /// Undo does not restore discarded changes, so it does not restore their inverses either.
  private func dropChanges(of object: ManagedObject) throws -> Bool {
    guard object.hasChanges, !object.state.contains(.deletedInStore) else { return false }
    try graph.withoutUndo {
      if object.isDeleted {
        try graph.relationships.revertDeletion(of: object)
      } else {
        try graph.relationships.drop(object)
      }
    }
    let isChanged = object.hasPersistentChangedValues
    object.state.subtract([.updated, .deleted])
    if isChanged { tracker.recordUpdate(object) }
    tracker.sweep()
    return isChanged
  }

  /// Turns every unchanged object into a fault, so that the next read asks the store.
  func refreshAllObjects() {
    refreshUnchanged()
    for object in registry.objects { turnBackIntoFault(object) }
  }

  /// Turns unchanged objects into faults, except those that were deleted elsewhere.
  func refreshUnchanged() {
    tracker.didChange()
    for object in registeredObjects where !object.hasChanges {
      turnIntoFault(object)
      notifications.record(.refreshed, object)
    }
  }

  /// Refreshes the graph after a batch: unchanged objects and loaded to-manys become faults.
  ///
  /// - `isInsertion`: Whether the batch changed no existing row; then the objects stay loaded.
  func refreshAfterBatch(isInsertion: Bool = false) throws {
    if isInsertion { tracker.didChange() } else { refreshUnchanged() }
    refaultRelationships()
    try graph.relationships.rebaseAfterBatch()
  }

  /// Releases an object's row and its loaded relationships.
  func turnIntoFault(_ object: ManagedObject, batch: FetchBatch? = nil) {
    if object.state.contains(.deletedInStore) { return }
    if object.unmanagedNode == nil, object.unmanagedChanges == nil { return }
    object.willTurnIntoFault()
    object.node = nil
    object.changes = nil
    if let batch { object.batch = batch }
    object.didTurnIntoFault()
  }

  /// Makes the to-manys of all objects faults, so that they contain objects that are restored.
  ///
  /// The to-manys of deleted objects stay: undo cannot read them after the deletion is saved.
  func refaultRelationships() {
    for object in registeredObjects where !object.isDeleted { object.changes?.refault() }
  }

  /// Turns unchanged objects of entities into faults whose derived attributes the store recomputed.
  func refreshDerived(_ entities: Set<EntityDescription>) {
    if entities.isEmpty { return }
    var stale: [EntityDescription: [ManagedObject]] = [:]
    for object in registeredObjects where !object.hasChanges && object.node != nil {
      if entities.contains(where: object.entity.isKind) {
        stale[object.entity.root, default: []].append(object)
      }
    }
    for (root, objects) in stale {
      let batch = FetchBatch(root, objects.map(\.reference), generation: tracker.generation)
      for object in objects {
        object.node = nil
        object.batch = batch
        notifications.record(.refreshed, object)
      }
    }
  }
}
