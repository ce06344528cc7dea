import ObjectModel
import StoreContract

extension Faulting {
  /// Brings an object up to date with the store.
  func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
    guard !object.isInserted, object.graph === graph else { return }
    tracker.didChange()
    if mergeChanges {
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
    } else {
      if object.hasChanges, !object.state.contains(.deletedInStore) {
        // Objects at the other ends follow, or the next save would store half of a link.
        if object.isDeleted {
          try graph.relationships.takeBackDeletion(of: object)
        } else {
          try graph.relationships.drop(object)
        }
        object.state.subtract([.updated, .deleted])
        tracker.sweep()
      }
      turnBackIntoFault(object)
      turnIntoFault(object)
    }
    notifications.record(.refreshed, object)
  }

  /// Turns every unchanged object into a fault, so that the next read brings what is stored then.
  func refreshAllObjects() {
    refreshUnchanged()
    for object in registry.objects { turnBackIntoFault(object) }
  }

  /// The same, and what others deleted keeps its values.
  func refreshUnchanged() {
    tracker.didChange()
    for object in registeredObjects where !object.hasChanges {
      turnIntoFault(object)
      notifications.record(.refreshed, object)
    }
  }

  /// After a batch: every unchanged object is a fault, and what changed objects read of to-manys is
  /// read again.
  ///
  /// - `isInsertion`: Whether no row is another than it was.
  func refreshAfterBatch(isInsertion: Bool = false) throws {
    if isInsertion { tracker.didChange() } else { refreshUnchanged() }
    refaultRelationships()
    try graph.relationships.rebaseAfterBatch()
  }

  /// Releases an object's row and what is known of its relationships.
  func turnIntoFault(_ object: ManagedObject, batch: FetchBatch? = nil) {
    if object.state.contains(.deletedInStore) { return }
    if object.unmanagedNode == nil, object.unmanagedChanges == nil { return }
    object.willTurnIntoFault()
    object.node = nil
    object.changes = nil
    if let batch { object.batch = batch }
    object.didTurnIntoFault()
  }

  /// Lists that were read while objects were deleted have them again when they are not.
  ///
  /// Those of deleted objects stay: once the deletion is saved an undo could not read them.
  func refaultRelationships() {
    for object in registeredObjects where !object.isDeleted { object.changes?.refault() }
  }

  /// Turns unchanged objects of entities into faults, since the store has computed their derived
  /// attributes anew.
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
