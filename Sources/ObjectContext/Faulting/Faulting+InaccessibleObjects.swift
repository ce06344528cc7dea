import ObjectModel
import StoreContract

/// Objects whose rows others deleted.
///
/// They stay registered as long as they are alive, so that there is one object for each ID, and keep
/// what was read of them. Saves ignore them.
extension Faulting {
  /// Marks an object deleted whose row others deleted.
  ///
  /// It keeps the row that was read, or has an empty one. It may still be in lists of changes:
  /// `tracker.sweep()`.
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

  /// The same for an object that others are known to have deleted; one with changes to keep stays
  /// for as long as it has them.
  func markInaccessibleDeleted(_ object: ManagedObject) throws {
    guard object.hasUnsavedChanges else {
      turnDeleted(object)
      return
    }
    tracker.deferDeletion(of: object)
    // Its stored links went with the row; those that were added here stay.
    for state in object.changes?.toManys ?? [] where state.isLoaded { state.refault() }
    try graph.relationships.leaveStoredDestinations(object)
  }

  /// Objects that stayed for their changes go once those were taken back.
  func markDeferredDeleted() {
    if tracker.deferredDeletions.isEmpty { return }
    let unchanged = tracker.deferredDeletions.filter { $0.graph === graph && $0.state.isEmpty }
    tracker.sweepDeferredDeletions()
    for object in unchanged where object.node != nil { turnDeleted(object) }
  }

  /// The same for a fault that fires.
  ///
  /// Other objects' changes are left alone.
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

  /// Makes what turned deleted a fault again: the next read asks the store.
  func turnBackIntoFault(_ object: ManagedObject) {
    guard object.state.contains(.deletedInStore), object.graph === graph else { return }
    object.state = []
    object.changes = nil
    object.node = nil
    object.batch = nil
    notifications.record(.refreshed, object)
    restorePendingReferences(to: object)
  }

  /// What turned deleted is stored again: it has the new row.
  func revive(_ object: ManagedObject, _ row: IncrementalStoreNode) {
    turnBackIntoFault(object)
    object.node = row
    object.awakeFromFetch()
  }

  /// Adds unsaved references to an object that were made while it was deleted to its inverses, now
  /// that it is stored again.
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

  /// Takes out of a to-many what turned deleted since it was last looked at.
  func removeDeleted(from state: ToManyState) {
    if state.deletions == tracker.deletions { return }
    state.deletions = tracker.deletions
    state.forget { isKnownDeleted($0, state.relationship.destination) }
  }

  /// Takes back links that were added here to what this context has deleted by a batch.
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
