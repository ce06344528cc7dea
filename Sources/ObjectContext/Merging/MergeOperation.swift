import Foundation
import ObjectModel
import ObjectQuery
import StoreContract
import Synchronization

struct MergeOperation: GraphOperation {
  let graph: ObjectGraph

  /// Merges the changes that arrived in the inbox since the last call.
  ///
  /// These are the batches of other contexts and, if `automaticallyMergesChangesFromParent` is set,
  /// the saves of other contexts and the commits of other processes or coordinators.
  func mergeChanges() throws {
    graph.forgetClosedStores()
    // A pinned context without automatic merging reads only its query generation.
    if queryGenerationToken != nil, !inbox.wantsSaves.load(ordering: .relaxed) { return }
    let received = inbox.take()
    if received.isEmpty { return }
    do {
      try renewQueryGeneration()
      try merge(received)
    } catch {
      inbox.putBack(received)
      throw error
    }
    for item in received { childInboxes.post(item, from: inbox) }
    graph.endEvent()
  }

  private func merge(_ items: [ContextInbox.Changes]) throws {
    var batches: Set<ContextInbox.Batch> = []
    var stores: Set<UUID> = []
    for item in items {
      switch item {
      case .committed(let store): stores.insert(store)
      case .batch(let batch): batches.insert(batch)
      case .saved(let changes): try merge(changes)
      }
    }
    if !batches.isEmpty { try merge(batches) }
    if !stores.isEmpty { try mergeCommits(to: stores) }
  }

  private func merge(_ batches: Set<ContextInbox.Batch>) throws {
    if batches.contains(.deletion) {
      try mergeDeletions(keepsChanges: true)
    } else {
      try graph.faulting.refreshAfterBatch(isInsertion: !batches.contains(.update))
    }
    notifications.markStale()
  }

  /// Merges the changes that another context of the same coordinator saved.
  func mergeChanges(from changes: ContextChanges) throws {
    graph.forgetClosedStores()
    try renewQueryGeneration()
    try merge(changes)
    childInboxes.post(.saved(changes), from: inbox)
    graph.endEvent()
  }

  private func merge(_ changes: ContextChanges) throws {
    let changes = try withoutDeletionsOfStored(changes)
    tracker.didChange()
    forgetDeletions(of: changes.inserted + changes.updated)
    let stale = staleObjects(changes)
    for (root, objects) in stale {
      let batch = FetchBatch(root, objects.unchanged.map(\.reference), generation: tracker.generation)
      for object in objects.unchanged {
        graph.faulting.turnIntoFault(object, batch: batch)
        notifications.record(.refreshed, object)
      }
    }
    // This follows the refresh of the unchanged objects: rebasing may change them, and they have
    // to have their stored values by then.
    try rebase(stale.mapValues(\.changed))
    for id in changes.deleted {
      guard let object = knownObject(id), !object.isInserted else { continue }
      try graph.faulting.markInaccessibleDeleted(object)
    }
    tracker.sweep()
    if !changes.deleted.isEmpty { forgetRelationships(to: changes.deleted) }
    let names = Set((changes.inserted + changes.updated + changes.deleted).map(\.entity.name))
    graph.faulting.refreshDerived(
      Set(names.compactMap { model.entity(named: $0) }.flatMap(\.derivedEntities)))
    if notifications.isObserved {
      recordInsertions(changes.inserted)
      try recordArrivals(changes.inserted + changes.updated)
    }
  }

  /// Changes in which the deletion of an object that was stored again since is an update.
  ///
  /// A deletion can arrive after the object was stored again, by this context or another one. This
  /// takes one statement for each root entity, and none until an object is stored again.
  private func withoutDeletionsOfStored(_ changes: ContextChanges) throws -> ContextChanges {
    guard persistentStoreCoordinator.hasStoredAgain.load(ordering: .acquiring) else { return changes }
    let known = changes.deleted.compactMap { knownObject($0) }.filter { !$0.isInserted }
    if known.isEmpty { return changes }
    var stored: Set<ManagedObjectID> = []
    for (root, objects) in Dictionary(grouping: known, by: \.entity.root) {
      let rows = try source.newValues(for: objects.map(\.reference), of: root)
      for case (let object, _?) in zip(objects, rows) { stored.insert(object.objectID) }
    }
    var changes = changes
    changes.deleted.removeAll(where: stored.contains)
    changes.updated += stored
    return changes
  }

  /// Turns objects that were deleted and stored again elsewhere back into faults.
  private func forgetDeletions(of stored: [ManagedObjectID]) {
    for id in stored {
      guard let object = graph.registeredObject(for: id) else { continue }
      graph.faulting.turnBackIntoFault(object)
      tracker.removeDeferredDeletion(of: object)
    }
  }

  /// The registered objects whose rows other contexts saved, by root entity.
  private func staleObjects(_ changes: ContextChanges)
    -> [EntityDescription: (unchanged: [ManagedObject], changed: [ManagedObject])]
  {
    var insertedTwice: [ManagedObjectID] = []
    for id in changes.inserted {
      guard let object = graph.registeredObject(for: id) else { continue }
      if object.isInserted { graph.relationships.becomeStored(object) }
      if object.hasChanges { insertedTwice.append(id) }
    }
    let locked = Set(tracker.locked.map { ObjectIdentifier($0) })
    var stale: [EntityDescription: (unchanged: [ManagedObject], changed: [ManagedObject])] = [:]
    for id in changes.updated + changes.refreshed + insertedTwice {
      guard let object = knownObject(id), !object.isInserted else { continue }
      // A locked object counts as changed: changes of other objects depend on its version, which
      // the next save checks.
      if object.hasChanges || locked.contains(ObjectIdentifier(object)) {
        stale[object.entity.root, default: ([], [])].changed.append(object)
      } else {
        stale[object.entity.root, default: ([], [])].unchanged.append(object)
      }
    }
    return stale
  }

  /// Reads the rows of changed objects and rebases the changes on them.
  ///
  /// This takes one statement for each root entity.
  private func rebase(_ changed: [EntityDescription: [ManagedObject]]) throws {
    var rows: [(object: ManagedObject, node: IncrementalStoreNode)] = []
    for (root, objects) in changed {
      let nodes = try source.newValues(for: objects.map(\.reference), of: root)
      for case (let object, let node?) in zip(objects, nodes) { rows.append((object, node)) }
    }
    try rebase(rows)
  }

  /// Rebases changes on new rows.
  func rebase(_ rows: [(object: ManagedObject, node: IncrementalStoreNode)]) throws {
    try graph.relationships.rebase(rows)
    for (object, _) in rows {
      object.awakeFromSnapshotEvents(.refresh)
      notifications.record(.refreshed, object)
    }
  }

  /// Removes deleted objects from the to-manys of registered objects.
  ///
  /// A deletion also removes relationships of objects that the save does not report as changed.
  func forgetRelationships(
    to deleted: [ManagedObjectID], where isConcerned: (RelationshipDescription) -> Bool = { _ in true }
  ) {
    let deletedReferences = Dictionary(grouping: deleted, by: \.entity.root.name).mapValues {
      Set($0.map(\.reference))
    }
    for object in registeredObjects {
      for state in object.changes?.toManys ?? [] where isConcerned(state.relationship) {
        guard let references = deletedReferences[state.relationship.destination.root.name],
          state.forget(references.contains), object.reportsChanges
        else { continue }
        object.valuesDidChange(at: state.relationship.index)
      }
    }
  }

  /// Records the IDs of objects that other contexts inserted, without making the objects.
  private func recordInsertions(_ ids: [ManagedObjectID]) {
    if notifications.didChange.isEmpty { return }
    let known = ids.filter { id in
      id.isTemporaryID
        ? parent?.registeredObject(for: id) != nil
        : (try? persistentStoreCoordinator.storeEntity(of: id)) != nil
    }
    notifications.recordInsertions(known)
  }

  /// Records, for live results, objects that other contexts inserted or changed.
  ///
  /// A changed object may match now.
  private func recordArrivals(_ ids: [ManagedObjectID]) throws {
    let wanted = notifications.observedRoots
    if wanted.isEmpty { return }
    for id in ids where wanted.contains(id.entity.root.name) {
      // An object whose ID is no longer valid is in later changes under its new ID.
      guard let object = try? graph.faulting.object(with: id) else { continue }
      notifications.record(.refreshed, object)
    }
  }

  private func knownObject(_ id: ManagedObjectID) -> ManagedObject? {
    guard let object = graph.registeredObject(for: id), !object.state.contains(.deletedInStore) else {
      return nil
    }
    return object
  }

  /// Marks objects deleted whose rows were deleted, and turns other unchanged objects into faults.
  ///
  /// - `keepsChanges`: Whether a changed object stays, so that its save reports a conflict.
  func mergeDeletions(keepsChanges: Bool) throws {
    var wanted: [EntityDescription: Set<Int64>] = [:]
    let objects = registeredObjects.filter { !$0.isInserted }
    for object in objects { wanted[object.entity.root, default: []].insert(object.reference) }
    // The to-manys of deleted objects are not read again.
    let loadedToManys = tracker.deleted.flatMap { $0.changes?.toManys ?? [] }.filter(\.isLoaded)
    for state in loadedToManys {
      wanted[state.relationship.destination.root, default: []].formUnion(state.current ?? [])
    }
    var deletedReferences: [EntityDescription: Set<Int64>] = [:]
    for (root, references) in wanted {
      let list = references.sorted().map { FetchExpression.value(.reference($0)) }
      let request = FetchRequest(
        root.name, where: .comparison(FetchComparison(.selfObject, .in, .list(list))))
      deletedReferences[root] = references.subtracting(try source.fetchObjectIDs(request).map(\.reference))
    }
    // Deleted objects are marked before the refresh, so that they retain the values that were read.
    for object in objects where deletedReferences[object.entity.root]?.contains(object.reference) == true {
      if keepsChanges {
        try graph.faulting.markInaccessibleDeleted(object)
      } else {
        graph.faulting.turnDeleted(object)
      }
    }
    tracker.sweep()
    graph.faulting.removeAddedDeleted()
    try graph.faulting.refreshAfterBatch()
    for state in loadedToManys {
      if let deletedReferences = deletedReferences[state.relationship.destination.root] {
        state.forget(deletedReferences.contains)
      }
    }
  }
}

extension ObjectGraph {
  var merging: MergeOperation { MergeOperation(graph: self) }
}
