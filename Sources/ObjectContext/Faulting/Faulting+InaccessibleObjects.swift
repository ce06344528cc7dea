import ObjectModel
import StoreContract

/// Objects whose rows were deleted elsewhere.
///
/// They stay registered as long as they are alive, so that there is one object for each ID, and
/// retain the values that were read. Saves ignore them.
extension Faulting {
  /// Marks an object deleted whose row was deleted elsewhere.
  ///
  /// It retains the row that was read, or gets an empty one. The lists of changes may contain it
  /// until `tracker.sweep()`.
  @discardableResult
  func turnDeleted(_ object: ManagedObject) -> IncrementalStoreNode {
    let node = object.node ?? emptyNode(object)
    if object.node == nil || object.isUpdated { object.changes = nil }
    object.state = [.deletedInStore, .deleted]
    object.node = node
    tracker.didFindDeletion()
    notifications.record(.deleted, object)
    return node
  }

  /// Marks an object deleted, or defers this while the object has unsaved changes.
  func markInaccessibleDeleted(_ object: ManagedObject) throws {
    guard object.hasUnsavedChanges else {
      turnDeleted(object)
      return
    }
    tracker.deferDeletion(of: object)
    // Its join table rows were deleted with the row; destinations that this context added stay.
    for state in object.changes?.toManys ?? [] where state.isLoaded { state.refault() }
    try graph.relationships.leaveStoredDestinations(object)
  }

  /// Marks objects deleted whose deletion was deferred and that have no changes any more.
  func markDeferredDeleted() {
    if tracker.deferredDeletions.isEmpty { return }
    let unchanged = tracker.deferredDeletions.filter { $0.graph === graph && $0.state.isEmpty }
    tracker.sweepDeferredDeletions()
    for object in unchanged where object.node != nil { turnDeleted(object) }
  }

  /// Marks a firing fault deleted whose row was deleted, without touching other objects' changes.
  func turnInaccessibleFaultDeleted(_ object: ManagedObject) -> IncrementalStoreNode {
    let isListed = object.hasChanges
    let node = turnDeleted(object)
    if isListed { tracker.sweep() }
    return node
  }

  func emptyNode(_ object: ManagedObject) -> IncrementalStoreNode {
    let builder = NodeBuilder()
    builder.begin(fieldCount: object.entity.fieldCount)
    return builder.finish(object.storeEntity, reference: object.reference, version: 0)
  }

  /// Turns an object that was marked deleted into a fault again: the next read asks the store.
  func turnBackIntoFault(_ object: ManagedObject) {
    guard object.state.contains(.deletedInStore), object.graph === graph else { return }
    object.state = []
    object.changes = nil
    object.node = nil
    object.batch = nil
    notifications.record(.refreshed, object)
    restorePendingReferences(to: object)
  }

  /// Gives an object that was marked deleted and is stored again its new row.
  func revive(_ object: ManagedObject, _ row: IncrementalStoreNode) {
    turnBackIntoFault(object)
    object.node = row
    object.awakeFromFetch()
  }

  /// Updates the inverses of an object that is stored again.
  ///
  /// Other objects may refer to it by unsaved changes that were made while it was deleted.
  private func restorePendingReferences(to object: ManagedObject) {
    for inverse in object.entity.relationships where !inverse.isTransient {
      guard let relationship = inverse.inverse else { continue }
      for other in tracker.inserted + tracker.updated
      where other.entity.isKind(of: relationship.entity) && !other.isDeleted {
        let leadsHere =
          relationship.isToMany
          ? other.changes?.knownToMany(relationship)?.added.contains(object.reference) == true
          : other.changes?.value(relationship.index) == .reference(object.reference)
        guard leadsHere else { continue }
        if inverse.isToMany {
          object.toManyState(inverse).add(other.reference)
        } else {
          graph.withoutUndo { object.setSlot(inverse.index, .reference(other.reference)) }
        }
        tracker.recordUpdate(object)
      }
    }
  }

  /// Whether a destination is known to be deleted.
  func isKnownDeleted(_ reference: Int64, _ destination: EntityDescription) -> Bool {
    registry.object(destination, reference)?.state.contains(.deletedInStore) == true
  }

  /// Removes destinations from a to-many that were marked deleted since the last call.
  func removeDeleted(from state: ToManyState) {
    if state.deletions == tracker.deletions { return }
    state.deletions = tracker.deletions
    state.forget { isKnownDeleted($0, state.relationship.destination) }
  }

  /// Removes added destinations that this context deleted by a batch.
  func removeAddedDeleted() {
    for object in tracker.inserted + tracker.updated {
      for state in object.changes?.toManys ?? [] {
        for destination in Array(state.added)
        where isKnownDeleted(destination, state.relationship.destination) {
          state.takeBack(destination)
        }
      }
    }
  }
}
