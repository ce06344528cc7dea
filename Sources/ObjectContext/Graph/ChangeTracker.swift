import ObjectModel

/// The objects of one context that have unsaved changes, with a counter of changes.
///
/// The lists retain their objects. They may contain an object whose state was reset until the next
/// `sweep()`.
final class ChangeTracker {
  /// Increases whenever prefetched rows may be out of date.
  @exclusivity(unchecked) private(set) var generation = 0
  /// Increases whenever an object turns out to be deleted by another context or process.
  @exclusivity(unchecked) private(set) var deletions = 0
  /// New objects, and `removedInsertions` objects that were deleted before they were saved.
  ///
  /// The next read of `inserted` removes the deleted ones in one pass, so that deleting many
  /// objects one by one does not search the list for each.
  @exclusivity(unchecked) private var insertions: [ManagedObject] = []
  private var removedInsertions = 0
  @exclusivity(unchecked) private(set) var updated: [ManagedObject] = []
  @exclusivity(unchecked) private(set) var deleted: [ManagedObject] = []
  /// New and updated objects with unidirectional relationships; some may have no changes any more.
  private(set) var unidirectionalHolders: [ManagedObject] = []
  /// Changed objects that another context or process deleted: they stay registered while they have
  /// changes.
  private(set) var deferredDeletions: [ManagedObject] = []
  /// Unchanged objects whose version the next save checks.
  private(set) var locked: [ManagedObject] = []
  /// Called when an object without changes gets some.
  @exclusivity(unchecked) var didReceiveChanges: (() -> Void)?
  private let plans: EntityPlans
  #if DEBUG
    private var checkedGeneration = 0
  #endif

  init(_ plans: EntityPlans) { self.plans = plans }

  /// Marks all prefetched rows as out of date.
  func didChange() { generation += 1 }

  /// Records that an object turned out to be deleted by another context or process.
  func didFindDeletion() { deletions += 1 }

  /// The new objects, in the order they were inserted.
  var inserted: [ManagedObject] {
    sweepInserted()
    return insertions
  }

  /// Whether the next save has something to do.
  var hasChanges: Bool { insertions.count > removedInsertions || !updated.isEmpty || !deleted.isEmpty }

  /// Every new, updated and deleted object; an object in two lists appears twice.
  var pending: [ManagedObject] { inserted + updated + deleted }

  /// The new objects that are still new.
  var insertedObjects: [ManagedObject] { inserted.filter { $0.isInserted && !$0.isDeleted } }

  /// The updated objects that are still updated, and neither new nor deleted.
  var updatedObjects: [ManagedObject] { updated.filter { $0.isUpdated && !$0.isDeleted } }

  /// Updated objects whose changes a save writes as updates: neither new nor deleted ones.
  var updatedToSave: [ManagedObject] {
    updated.filter { $0.state.isDisjoint(with: [.deleted, .inserted, .deletedInStore]) }
  }

  // MARK: Adding

  /// - Parameter object: A new object, or one that `sweepInserted()` removed before it became new
  ///   again.
  func addInserted(_ object: ManagedObject) {
    insertions.append(object)
    addHolder(object)
  }

  func addUpdated(_ object: ManagedObject) {
    updated.append(object)
    addHolder(object)
  }

  func addDeleted(_ object: ManagedObject) { deleted.append(object) }

  /// Marks an object updated, unless it is new, updated already or deleted in the store.
  func recordUpdate(_ object: ManagedObject) {
    if object.state.isDisjoint(with: [.updated, .inserted, .deletedInStore]) {
      object.state.insert(.updated)
      addUpdated(object)
      didReceiveChanges?()
    }
  }

  /// Makes the next save check the version of an unchanged object.
  func lock(_ object: ManagedObject) { locked.append(object) }

  func deferDeletion(of object: ManagedObject) {
    if !deferredDeletions.contains(object) { deferredDeletions.append(object) }
  }

  private func addHolder(_ object: ManagedObject) {
    if plans.hasUnidirectional, plans.holdsUnidirectional(object.entity) {
      unidirectionalHolders.append(object)
    }
  }

  // MARK: Removing

  /// Records that new objects were deleted; their states contain `deletedInStore` already.
  func removeInserted(_ count: Int) {
    if count == 0 { return }
    removedInsertions += count
    unidirectionalHolders.removeAll { $0.state.contains(.deletedInStore) }
  }

  func sweepInserted() {
    if removedInsertions == 0 { return }
    removedInsertions = 0
    insertions.removeAll { $0.state.contains(.deletedInStore) }
  }

  func removeAllInserted() { (insertions, removedInsertions) = ([], 0) }

  func removeDeferredDeletion(of object: ManagedObject) { deferredDeletions.removeAll { $0 === object } }

  func removeDeferredDeletions(of objects: [ManagedObject]) {
    if objects.count == deferredDeletions.count { return removeAllDeferredDeletions() }
    let done = Set(objects)
    deferredDeletions.removeAll(where: done.contains)
  }

  /// Removes every deferred deletion whose object's state is not exactly `updated`.
  func sweepDeferredDeletions() { deferredDeletions.removeAll { $0.state != [.updated] } }

  func removeAllDeferredDeletions() { deferredDeletions = [] }

  func unlock(where isUnlocked: (ManagedObject) -> Bool) { locked.removeAll(where: isUnlocked) }

  func sweepUnidirectionalHolders() {
    unidirectionalHolders.removeAll { $0.state.isDisjoint(with: [.inserted, .updated]) }
  }

  /// Removes objects without changes of the list's kind, and repetitions.
  func sweep() {
    func sweep(_ list: inout [ManagedObject], _ state: ManagedObject.State) {
      var seen: Set<ObjectIdentifier> = []
      list.removeAll {
        !$0.state.contains(state) || $0.state.contains(.deletedInStore)
          || !seen.insert(ObjectIdentifier($0)).inserted
      }
    }
    removedInsertions = 0
    sweep(&insertions, .inserted)
    sweep(&updated, .updated)
    sweep(&deleted, .deleted)
    sweepUnidirectionalHolders()
  }

  /// Empties every list except the deferred deletions.
  func removeAll() {
    removeAllInserted()
    (updated, deleted) = ([], [])
    (unidirectionalHolders, locked) = ([], [])
  }

  /// Removes what a save has saved, each object from the list that it was saved for.
  func remove(inserted: [ManagedObject], updated: [ManagedObject], deleted: [ManagedObject]) {
    func remove(_ objects: [ManagedObject], from list: inout [ManagedObject]) {
      let saved = Set(objects.map { ObjectIdentifier($0) })
      list.removeAll { saved.contains(ObjectIdentifier($0)) }
    }
    sweepInserted()
    remove(inserted, from: &insertions)
    // One that was changed and then deleted was saved as deleted alone, and is in both lists.
    remove(updated + deleted, from: &self.updated)
    remove(deleted, from: &self.deleted)
    remove(inserted + updated + deleted, from: &unidirectionalHolders)
    remove(updated + deleted, from: &locked)
  }

  // MARK: Snapshots

  /// The lists as they are now.
  struct Snapshot {
    fileprivate let (inserted, updated, deleted): ([ManagedObject], [ManagedObject], [ManagedObject])
    fileprivate let (unidirectionalHolders, locked): ([ManagedObject], [ManagedObject])
  }

  var snapshot: Snapshot {
    Snapshot(
      inserted: inserted, updated: updated, deleted: deleted, unidirectionalHolders: unidirectionalHolders,
      locked: locked)
  }

  func restore(_ snapshot: Snapshot) {
    (insertions, removedInsertions) = (snapshot.inserted, 0)
    (updated, deleted) = (snapshot.updated, snapshot.deleted)
    (unidirectionalHolders, locked) = (snapshot.unidirectionalHolders, snapshot.locked)
    didChange()
  }

  // MARK: Invariants

  /// In debug builds, between operations: each listed object has its state and is registered, none
  /// is both new and deleted, every registered object with changes is listed, and the generation
  /// never falls.
  ///
  /// O(objects).
  func checkInvariants(_ registry: ObjectRegistry) {
    #if DEBUG
      assert(
        generation >= checkedGeneration, "the generation fell from \(checkedGeneration) to \(generation)")
      checkedGeneration = generation
      check(inserted, .inserted, registry)
      check(updated, .updated, registry)
      check(deleted, .deleted, registry)
      let listed = Set(pending.map { ObjectIdentifier($0) })
      for object in registry.objects where object.hasChanges {
        assert(listed.contains(ObjectIdentifier(object)), "\(object) has changes and is in no list")
      }
    #endif
  }

  #if DEBUG
    private func check(_ list: [ManagedObject], _ state: ManagedObject.State, _ registry: ObjectRegistry) {
      var seen: Set<ObjectIdentifier> = []
      for object in list {
        assert(object.state.contains(state), "\(object) is in the list of another state")
        assert(!object.state.isSuperset(of: [.inserted, .deleted]), "\(object) is both new and deleted")
        assert(seen.insert(ObjectIdentifier(object)).inserted, "\(object) is listed twice")
        assert(registry.object(object.entity, object.reference) === object, "\(object) is not registered")
      }
    }
  #endif
}
