import ObjectModel
import StoreContract

extension ManagedObjectContext {
  /// Brings an object up to date with the store. Without merging, its changes are dropped and it turns into a fault;
  /// with merging, its row is read now (one statement) and its changes stay on top.
  /// Without merging, links that were made or taken away here are so again at their other ends.
  ///
  /// With merging, an unchanged object whose row is gone turns deleted and keeps its values; a changed one stays, and its save is
  /// a conflict.
  /// - Throws: `objectGone` when merging and the row is gone, where inaccessible faults are not deleted; what reading the other
  ///   ends throws.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
    guard !object.isInserted, object.managedObjectContext === self else { return }
    tracker.didChange()
    if mergeChanges {
      guard let node = try source.newValues(for: [object.reference], of: object.entity)[0] else {
        guard shouldDeleteInaccessibleFaults else { throw objectNotFound(object) }
        if !object.hasUnsavedChanges, !object.state.contains(.deletedInStore) {
          turnDeleted(object)
          tracker.sweep()
        }
        return
      }
      turnBackIntoFault(object)
      tracker.removeDeferredDeletion(of: object)
      try rebase(object, on: node)
      object.awakeFromSnapshotEvents(.refresh)
    } else {
      if object.hasChanges, !object.state.contains(.deletedInStore) {
        // Objects at the other ends follow, or the next save would store half of a link.
        if object.isDeleted { try takeBackDeletion(of: object) } else { try drop(object) }
        object.state.subtract([.updated, .deleted])
        tracker.sweep()
      }
      turnBackIntoFault(object)
      turnIntoFault(object)
    }
    notifications.record(.refreshed, object)
  }

  /// Turns every unchanged object into a fault, so that the next read brings what is stored then.
  public func refreshAllObjects() {
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

  /// After a batch: every unchanged object is a fault, and what changed objects read of to-manys is read again.
  /// - Parameter isInsertion: Whether no row is another than it was.
  func refreshAfterBatch(isInsertion: Bool = false) throws {
    if isInsertion { tracker.didChange() } else { refreshUnchanged() }
    refaultRelationships()
    try rebaseAfterBatch()
  }

  /// Lets go of an object's row and of what is known of its relationships.
  func turnIntoFault(_ object: ManagedObject, batch: FetchBatch? = nil) {
    if object.state.contains(.deletedInStore) { return }
    if object.unmanagedNode == nil, object.unmanagedChanges == nil { return }
    object.willTurnIntoFault()
    object.node = nil
    object.changes = nil
    if let batch { object.batch = batch }
    object.didTurnIntoFault()
  }

  /// What is no longer there, or never was. It may stand in lists of changes still: `tracker.sweep()`.
  func forget(_ object: ManagedObject) {
    dismiss(object)
    object.changes = nil
    object.node = nil
  }

  /// An object is of no context any more, and keeps what it has.
  func dismiss(_ object: ManagedObject) {
    object.state = [.deletedInStore]
    registry.remove(object)
    object.managedObjectContext = nil
    object.keeper = nil
  }

}
