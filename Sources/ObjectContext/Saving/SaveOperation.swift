import Foundation
import ObjectModel
import StoreContract
import Synchronization

struct SaveOperation: GraphOperation {
  let graph: ObjectGraph

  /// Why nothing is saved after a property could not be read.
  private static func refusal(_ failure: any Error) -> any Error {
    guard let failure = failure as? StoreError else { return failure }
    return StoreError(
      failure.code,
      "a property that could not be read was empty (\(failure.message)); read again what was empty, then call"
        + " clearFaultFailure(), of a ModelContext clearReadFailure(), and save again; or rollback()",
      objectIDs: failure.objectIDs, cause: failure)
  }

  /// Validates every change, obtains permanent IDs for new objects, and saves in one transaction.
  func save() throws {
    #if DEBUG
      graph.isolation.check { "a context" }
    #endif
    if let failure = graph.faultFailure { throw Self.refusal(failure) }
    if graph.isSaving {
      throw ContextError(
        .unsaved, "the context is being saved; a store that is saved to must not save the same context")
    }
    try graph.merging.mergeChanges()
    guard tracker.hasChanges || !tracker.locked.isEmpty else { return }
    if !notifications.willSave.isEmpty {
      notifications.willSave.yield(pendingChanges)
    }
    willSaveAll()
    undoRecorder?.endEvent()
    let saved = try parent.map { try save(into: $0) } ?? saveToStores()
    if !notifications.didSave.isEmpty { notifications.didSave.yield(saved) }
    if let parent { parent.childInboxes.post(.saved(saved), from: inbox) }
    notifications.markStale(where: \.isOfStoreOnly)
    graph.endEvent()
  }

  /// The IDs of the objects that the next save inserts, updates and deletes.
  private var pendingChanges: ContextChanges {
    changes(inserted: tracker.insertedObjects, updated: tracker.updatedObjects)
  }

  func changes(inserted: [ManagedObject], updated: [ManagedObject]) -> ContextChanges {
    changes(inserted: inserted, updated: updated, deleted: tracker.deleted)
  }

  private func changes(
    inserted: [ManagedObject], updated: [ManagedObject], deleted: [ManagedObject]
  ) -> ContextChanges {
    var changes = ContextChanges(contextName: name)
    changes.inserted = inserted.map(\.objectID)
    changes.updated = updated.map(\.objectID)
    changes.deleted = deleted.map(\.objectID)
    return changes
  }

  func validate() throws {
    var validation = Validation(plans)
    if !graph.defersValidation {
      for object in tracker.inserted { try validation.check(object) }
      for object in tracker.updatedToSave { try validation.check(object) }
    }
    for object in tracker.deleted { try validation.checkDeletion(object) }
    try validation.throwFailures()
  }

  private static let mostTries = 16

  private func saveToStores() throws -> ContextChanges {
    defer { graph.conflicts.endMerging(isSaved: false) }
    var tries = 1
    while true {
      try graph.relationships.completeOneToOnes()
      try validate()
      let wanted = WantedSave(
        inserted: tracker.inserted, updated: tracker.updatedToSave, deleted: tracker.deleted,
        updatedCount: tracker.updated.count)
      try takePermanentIDs(wanted.inserted, also: wanted.updated + wanted.deleted)
      let plan = try SavePlan(
        plans, inserted: wanted.inserted, updated: wanted.updated, deleted: wanted.deleted,
        locked: tracker.locked)
      do {
        // Known before others can see the rows.
        if plan.storesAgain { persistentStoreCoordinator.hasStoredAgain.store(true, ordering: .releasing) }
        if !plan.request.isEmpty {
          graph.isSaving = true
          defer { graph.isSaving = false }
          try graph.withTransactionOrigin { try persistentStoreCoordinator.save(plan.request) }
        }
      } catch let error as StoreError {
        if tries == Self.mostTries { throw tooManyConflicts(error) }
        // Each attempt met rows that were written elsewhere since the attempt before.
        tries += 1
        try graph.conflicts.resolve(error)
        continue
      } catch {
        let stores = (error as? ContextError)?.savedStores ?? []
        if !stores.isEmpty {
          let part = finish(plan, wanted, in: stores)
          if !notifications.didSave.isEmpty { notifications.didSave.yield(part) }
        }
        throw error
      }
      return finish(plan, wanted)
    }
  }

  /// The objects that a save is of.
  private struct WantedSave {
    var inserted: [ManagedObject]
    var updated: [ManagedObject]
    var deleted: [ManagedObject]
    /// How many are on the tracker's list.
    var updatedCount: Int
    var isPart = false

    func of(_ stores: Set<UUID>) -> WantedSave {
      func isSaved(_ object: ManagedObject) -> Bool {
        object.storeEntity.storeIdentifier.map(stores.contains) ?? false
      }
      return WantedSave(
        inserted: inserted.filter(isSaved), updated: updated.filter(isSaved),
        deleted: deleted.filter(isSaved),
        updatedCount: 0, isPart: true)
    }
  }

  /// Makes of what some stores have saved, or all, objects without changes, and has others hear of it.
  private func finish(_ plan: SavePlan, _ wanted: WantedSave, in stores: Set<UUID>? = nil) -> ContextChanges {
    let saved = stores.map(wanted.of) ?? wanted
    var changes = changes(
      inserted: saved.inserted.filter { $0.isInserted && !$0.isDeleted },
      updated: saved.updated.filter { $0.isUpdated && !$0.isDeleted }, deleted: saved.deleted)
    let written = saved.updated.isEmpty ? saved.inserted : saved.inserted + saved.updated
    let ends = graph.relationships.unrecordedInverses(of: written)
    changes.refreshed = ends.map(\.id)
    settle(plan, wanted, saved)
    for end in ends { graph.registeredObject(for: end.id)?.changes?.knownToMany(end.inverse)?.refault() }
    refreshDerived(saved.deleted.isEmpty ? written : written + saved.deleted)
    persistentStoreCoordinator.posted(changes, from: inbox)
    childInboxes.post(.saved(changes), from: inbox)
    // Of a part, too: the graph from before the merge has objects as new that are stored now.
    graph.conflicts.endMerging(isSaved: true)
    // Something is saved, so nothing may fail any more: without a new query generation, the
    // context reads the stores directly.
    do { try graph.merging.renewQueryGeneration() } catch { graph.source = persistentStoreCoordinator }
    return changes
  }

  private func tooManyConflicts(_ error: StoreError) -> any Error {
    guard error.code == .conflict else { return error }
    return ContextError(
      .conflict,
      "nothing was saved: \(Self.mostTries) times in a row, other saves changed the same objects meanwhile;"
        + " save again", cause: error)
  }

  /// Turns objects whose derived attributes the store recomputed into faults, which fire together.
  private func refreshDerived(_ saved: [ManagedObject]) {
    var entities: Set<EntityDescription> = []
    var last: EntityDescription?
    for object in saved where object.entity !== last {
      last = object.entity
      entities.formUnion(object.entity.derivedEntities)
    }
    graph.faulting.refreshDerived(entities)
  }

  /// Calls `willSave()` of every pending object, including those that these calls change.
  private func willSaveAll() {
    var seen: Set<ObjectIdentifier> = []
    var again = true
    let (inserted, updated) = (tracker.inserted, tracker.updated)
    // An object is in a list once, and in two only where it was deleted or stored again.
    if tracker.deleted.isEmpty, inserted.isEmpty || !updated.contains(where: \.isInserted) {
      for object in inserted where !object.state.contains(.deletedInStore) { object.willSave() }
      for object in updated where !object.state.contains(.deletedInStore) { object.willSave() }
      if tracker.deleted.isEmpty, Self.isSame(tracker.inserted, inserted),
        Self.isSame(tracker.updated, updated)
      {
        return
      }
      for object in inserted { seen.insert(ObjectIdentifier(object)) }
      for object in updated { seen.insert(ObjectIdentifier(object)) }
    }
    while again {
      again = false
      for object in tracker.inserted + tracker.updated + tracker.deleted
      where seen.insert(ObjectIdentifier(object)).inserted && !object.state.contains(.deletedInStore) {
        object.willSave()
        again = true
      }
    }
  }

  /// Whether an array was not changed since it was copied, which would have moved it.
  private static func isSame(_ now: [ManagedObject], _ copy: [ManagedObject]) -> Bool {
    now.withUnsafeBufferPointer { now in
      copy.withUnsafeBufferPointer { now.baseAddress == $0.baseAddress && now.count == $0.count }
    }
  }

  /// Gives new objects their permanent IDs ahead of the save.
  func obtainPermanentIDs(for objects: [ManagedObject]) throws {
    var seen: Set<ObjectIdentifier> = []
    let own = objects.filter {
      $0.isInserted && $0.graph === graph && seen.insert(ObjectIdentifier($0)).inserted
    }
    try takePermanentIDs(own, also: tracker.updated + tracker.deleted)
  }

  private func takePermanentIDs(_ objects: [ManagedObject], also others: [ManagedObject]) throws {
    let new = objects.filter { $0.reference < 0 }
    if new.isEmpty { return }
    let ids = try persistentStoreCoordinator.obtainPermanentIDs(for: new.map(\.entity))
    let permanent = RenamedReferences(new.map(\.reference), ids.map(\.reference))
    let renamed = children.isEmpty ? [] : Array(zip(new.map(\.objectID), ids))
    registry.rename(new, ids)
    for object in tracker.inserted {
      object.unmanagedChanges?._withUnsafeGuaranteedRef { $0.rename(permanent) }
    }
    for object in others { object.changes?.rename(permanent) }
    undoRecorder?.rename(permanent, root: nil)
    notifications.objectsWereRenamed()
    for child in children {
      child.graph?.saving.parentTookPermanentIDs(renamed, permanent)
    }
  }

  private func settle(_ plan: SavePlan, _ wanted: WantedSave, _ saved: WantedSave) {
    tracker.didChange()
    if saved.isPart || isChangedSince(wanted) {
      tracker.remove(inserted: saved.inserted, updated: saved.updated, deleted: saved.deleted)
    } else {
      tracker.removeAll()
    }
    let part = saved.isPart ? Set((saved.inserted + saved.updated).map { ObjectIdentifier($0) }) : []
    func isSaved(_ object: ManagedObject) -> Bool {
      !saved.isPart || part.contains(ObjectIdentifier(object))
    }
    var last: EntityDescription?
    var transient = PropertyIndexSet()
    for (object, node) in zip(wanted.inserted, plan.request.inserted) where isSaved(object) {
      if object.storeEntity.entity !== last {
        last = object.entity
        transient = plans[object.entity].transientSlots
      }
      settle(object, node, transient)
    }
    for object in saved.updated { settle(object, nil) }
    for (object, change) in plan.updates where isSaved(object) { settle(object, change) }
    settle(deleted: saved.deleted)
    let deferred = tracker.deferredDeletions.filter(isSaved)
    tracker.removeDeferredDeletions(of: deferred)
    settle(deferred, plan)
    for object in saved.inserted { object.didSave() }
    for object in saved.updated { object.didSave() }
    for object in saved.deleted { object.didSave() }
  }

  /// Whether a store changed the context while it was saved to.
  private func isChangedSince(_ wanted: WantedSave) -> Bool {
    tracker.inserted.count != wanted.inserted.count || tracker.deleted.count != wanted.deleted.count
      || tracker.updated.count != wanted.updatedCount
  }

  /// Marks objects deleted whose deletion elsewhere was deferred, unless the save wrote their rows:
  /// changes that equal the row are not written.
  private func settle(_ deferred: [ManagedObject], _ plan: SavePlan) {
    if deferred.isEmpty { return }
    let written = Set((plan.request.inserted + plan.request.updated.map(\.node)).map(\.objectID))
    for object in deferred
    where object.graph === graph && object.state.isEmpty && !written.contains(object.objectID) {
      graph.faulting.turnDeleted(object)
    }
  }

  func settle(_ object: ManagedObject, _ node: IncrementalStoreNode?) {
    settle(object, node, plans[object.entity].transientSlots)
  }

  private func settle(
    _ object: ManagedObject, _ node: IncrementalStoreNode?, _ transientSlots: PropertyIndexSet
  ) {
    object.state.subtract([.inserted, .updated])
    if let node { object.node = node }
    guard let changes = object.changes else { return }
    changes.settle(transientSlots)
    if changes.changed.isEmpty, changes.toManys.isEmpty { return object.changes = nil }
    object.dirty = changes.changed.summary
  }

  func settle(deleted: [ManagedObject]) {
    if deleted.isEmpty { return }
    for object in deleted { graph.dismiss(object) }
    // Nothing else updates relationships without an inverse.
    let roots = Set(deleted.map(\.entity.root))
    if roots.allSatisfy({ plans.unidirectionalToManys(to: $0).isEmpty }) { return }
    graph.merging.forgetRelationships(to: deleted.map(\.objectID)) { $0.inverse == nil }
  }

  /// Discards every change: removes new objects and reverts changed and deleted ones to their row.
  func rollback() {
    tracker.didChange()
    graph.faultFailure = nil
    undoRecorder?.removeAllActions()
    let inserted = tracker.inserted
    let others = tracker.updated + tracker.deleted
    let hadDeletions = !tracker.deleted.isEmpty
    tracker.removeAll()
    for object in inserted {
      notifications.record(.deleted, object)
      graph.discard(object)
    }
    for object in others where !object.state.contains(.deletedInStore) {
      notifications.record(object.isDeleted ? .inserted : .refreshed, object)
      object.state.subtract([.updated, .deleted])
      object.changes = nil
      if object.reportsChanges { object.valuesDidChange(at: nil) }
      object.awakeFromSnapshotEvents(.rollback)
    }
    graph.faulting.markDeferredDeleted()
    if hadDeletions { graph.faulting.refaultRelationships() }
    graph.endEvent()
  }

  /// Removes every object, changed or not; the program can no longer use those it refers to.
  func reset() {
    tracker.didChange()
    graph.faultFailure = nil
    undoRecorder?.removeAllActions()
    if notifications.isObserved { for object in registeredObjects { notifications.record(.deleted, object) } }
    graph.unregisterAll()
    notifications.markStale()
    graph.endEvent()
  }

  /// Makes the next save check the version of an object's row, even if the object is unchanged.
  func detectConflicts(for object: ManagedObject) throws {
    guard object.graph === graph else {
      throw ContextError(.objectOfAnotherContext, "a \(object.entity.name) of another context was given")
    }
    if object.isInserted { return }
    _ = try object.row()
    if object.state.contains(.deletedInStore) { throw graph.objectNotFound(object) }
    tracker.lock(object)
  }
}

extension ObjectGraph {
  var saving: SaveOperation { SaveOperation(graph: self) }
}
