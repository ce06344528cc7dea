import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

extension ManagedObjectContext {
  /// Takes in what batches of other contexts did since this context last looked, and where
  /// `automaticallyMergesChangesFromParent` is set, what other contexts saved and others committed to the stores. Called by
  /// every fetch and save; call it yourself before reading objects you hold, when another context may have touched them.
  /// A pinned context that does not merge automatically stays at its moment.
  ///
  /// One statement a root entity after batches that delete, of which a changed object stays as after a save, and one a root
  /// entity with changed objects after any batch; for saves and commits as `mergeChanges(from:)`; else none.
  /// - Throws: `StoreError` when the store cannot be asked what is left.
  public func mergeChanges() throws {
    forgetClosedStores()
    // A pinned context that does not merge sees its moment only.
    if queryGenerationToken != nil, !automaticallyMergesChangesFromParent { return }
    let news = inbox.take()
    if news.isEmpty { return }
    do {
      try renewQueryGeneration()
      try merge(news)
    } catch {
      inbox.putBack(news)
      throw error
    }
    for item in news { childInboxes.post(item, from: inbox) }
    endEvent()
  }

  private func merge(_ news: [ContextInbox.Changes]) throws {
    var batches = (inserted: false, updated: false, deleted: false)
    var stores: Set<UUID> = []
    for item in news {
      switch item {
      case .committed(let store): stores.insert(store)
      case .batchInserted: batches.inserted = true
      case .batchUpdated: batches.updated = true
      case .batchDeleted: batches.deleted = true
      case .saved(let changes): try merge(changes)
      }
    }
    if batches.deleted {
      try mergeDeletions(keepsChanges: true)
    } else if batches.updated || batches.inserted {
      try refreshAfterBatch(isInsertion: !batches.updated)
    }
    if batches.inserted || batches.updated || batches.deleted {
      notifications.markStale()
    }
    if !stores.isEmpty { try mergeCommits(to: stores) }
  }

  /// Takes in what another context of the same coordinator saved.
  ///
  /// Unchanged objects turn into faults that fire together; changed ones get the new row beneath their changes, one
  /// statement a root entity; deleted ones say so (`isDeleted`) and keep their values. A changed object that was deleted stays, and
  /// saving it is a conflict. Objects that are not here are left alone.
  /// - Throws: `StoreError` when the changed objects' rows cannot be read.
  public func mergeChanges(from changes: ContextChanges) throws {
    forgetClosedStores()
    try renewQueryGeneration()
    try merge(changes)
    childInboxes.post(.saved(changes), from: inbox)
    endEvent()
  }

  private func merge(_ changes: ContextChanges) throws {
    tracker.didChange()
    // Stored again: it is to be read like any other.
    for id in changes.inserted + changes.updated {
      guard let object = registeredObject(for: id) else { continue }
      turnBackIntoFault(object)
      tracker.removeDeferredDeletion(of: object)
    }
    var stale: [EntityDescription: (unchanged: [ManagedObject], changed: [ManagedObject])] = [:]
    let locked = Set(tracker.locked.map { ObjectIdentifier($0) })
    var again: [ManagedObjectID] = []
    for id in changes.inserted {
      guard let object = registeredObject(for: id) else { continue }
      if object.isInserted { becomeStored(object) }
      if object.hasChanges { again.append(id) }
    }
    for id in changes.updated + changes.refreshed + again {
      guard let object = own(id), !object.isInserted else { continue }
      // What the next save looks at has changes of others that depend on it.
      if object.hasChanges || locked.contains(ObjectIdentifier(object)) {
        stale[object.entity.root, default: ([], [])].changed.append(object)
      } else {
        stale[object.entity.root, default: ([], [])].unchanged.append(object)
      }
    }
    for (root, objects) in stale {
      let batch = FetchBatch(root, objects.unchanged.map(\.reference), generation: tracker.generation)
      for object in objects.unchanged {
        turnIntoFault(object, batch: batch)
        notifications.record(.refreshed, object)
      }
    }
    // Those may change others, which have to be as they are stored by then.
    var rows: [(object: ManagedObject, node: IncrementalStoreNode)] = []
    for (root, objects) in stale {
      let nodes = try source.newValues(for: objects.changed.map(\.reference), of: root)
      for case (let object, let node?) in zip(objects.changed, nodes) { rows.append((object, node)) }
    }
    try rebase(rows)
    for (object, _) in rows {
      object.awakeFromSnapshotEvents(.refresh)
      notifications.record(.refreshed, object)
    }
    for id in changes.deleted {
      guard let object = own(id), !object.isInserted else { continue }
      try markInaccessibleDeleted(object)
    }
    tracker.sweep()
    if !changes.deleted.isEmpty { forgetRelationships(to: changes.deleted) }
    let names = Set((changes.inserted + changes.updated + changes.deleted).map(\.entity.name))
    refreshDerived(Set(names.compactMap { model.entity(named: $0) }.flatMap(\.derivedEntities)))
    if notifications.isObserved {
      recordInsertions(changes.inserted)
      try recordArrivals(changes.inserted + changes.updated)
    }
  }

  /// Links went with the objects, and the objects at their other ends may not be among the changed ones.
  func forgetRelationships(
    to deleted: [ManagedObjectID], where isConcerned: (RelationshipDescription) -> Bool = { _ in true }
  ) {
    let gone = Dictionary(grouping: deleted, by: \.entity.root.name).mapValues { Set($0.map(\.reference)) }
    for object in registeredObjects {
      for state in object.changes?.toManys ?? [] where isConcerned(state.relationship) {
        if let references = gone[state.relationship.destination.root.name] {
          state.forget(references.contains)
        }
      }
    }
  }

  /// What others inserted is told by its ID; no object is made for it.
  private func recordInsertions(_ ids: [ManagedObjectID]) {
    if notifications.didChange.isEmpty { return }
    let known = ids.filter { id in
      id.isTemporaryID
        ? parent?.registeredObject(for: id) != nil
        : (try? persistentStoreCoordinator.storeEntity(of: id)) != nil
    }
    notifications.recordInsertions(known)
  }

  /// What others inserted, or changed so that it may belong there now, is shown to live results.
  private func recordArrivals(_ ids: [ManagedObjectID]) throws {
    let wanted = notifications.observedRoots
    if wanted.isEmpty { return }
    for id in ids where wanted.contains(id.entity.root.name) {
      // One that is no longer known under this ID comes with later news.
      guard let object = try? object(with: id) else { continue }
      notifications.record(.refreshed, object)
    }
  }

  private func own(_ id: ManagedObjectID) -> ManagedObject? {
    guard let object = registeredObject(for: id), !object.state.contains(.deletedInStore) else { return nil }
    return object
  }

  /// Marks deleted what is no longer in the store, and turns all else that is unchanged into faults.
  /// - Parameter keepsChanges: Whether a changed object stays, of which the save tells that it is a conflict.
  func mergeDeletions(keepsChanges: Bool) throws {
    var wanted: [EntityDescription: Set<Int64>] = [:]
    let objects = registeredObjects.filter { !$0.isInserted }
    for object in objects { wanted[object.entity.root, default: []].insert(object.reference) }
    // Those of deleted objects are not read again.
    let kept = tracker.deleted.flatMap { $0.changes?.toManys ?? [] }.filter(\.isLoaded)
    for state in kept {
      wanted[state.relationship.destination.root, default: []].formUnion(state.current ?? [])
    }
    var gone: [EntityDescription: Set<Int64>] = [:]
    for (root, references) in wanted {
      let list = references.sorted().map { FetchExpression.value(.reference($0)) }
      let request = FetchRequest(
        root.name, where: .comparison(FetchComparison(.selfObject, .in, .list(list))))
      gone[root] = references.subtracting(try storedIDs(request).map(\.reference))
    }
    // First, since they keep what was read of them.
    for object in objects where gone[object.entity.root]?.contains(object.reference) == true {
      if keepsChanges { try markInaccessibleDeleted(object) } else { turnDeleted(object) }
    }
    tracker.sweep()
    removeAddedDeleted()
    try refreshAfterBatch()
    for state in kept {
      if let gone = gone[state.relationship.destination.root] { state.forget(gone.contains) }
    }
  }
}
