import ObjectModel
import StoreContract

/// What a context was before a merge policy settled conflicts of a save: where the save fails after all, it is so again.
struct ContextSnapshot {
  private struct Kept {
    let object: ManagedObject
    let (reference, storeEntity): (Int64, StoreEntity)
    let state: ManagedObject.State
    let node: IncrementalStoreNode?
    let changes: ObjectChanges?
  }

  let source: any ContextSource
  private let kept: [Kept]
  private let lists: ChangeTracker.Snapshot
  private let recorded: UndoManager.Contents?

  init(_ context: ManagedObjectContext) {
    source = context.source
    kept = context.registeredObjects.map { object in
      Kept(
        object: object, reference: object.reference, storeEntity: object.storeEntity, state: object.state,
        node: object.node, changes: object.changes?.copy())
    }
    lists = context.tracker.snapshot
    recorded = context.undoManager?.contents
  }

  func restore(_ context: ManagedObjectContext) {
    for item in kept where item.object.managedObjectContext === context {
      context.registry.remove(item.object)
    }
    // What is left came in meanwhile.
    for object in context.registeredObjects {
      object.changes = nil
      object.state = []
    }
    for item in kept {
      let object = item.object
      if let other = context.registry.object(item.storeEntity.entity, item.reference) {
        context.forget(other)
      }
      (object.reference, object.storeEntity) = (item.reference, item.storeEntity)
      (object.state, object.node, object.changes) = (item.state, item.node, item.changes)
      object.batch = nil
      object.managedObjectContext = context
      context.registry.insert(object)
      if object.reportsChanges { object.valuesDidChange(at: nil) }
    }
    context.tracker.restore(lists)
    if let recorded { context.undoManager?.contents = recorded }
    context.source = source
    context.notifications.markStale()
  }
}

/// What a merge policy has done to a context in a save that is under way.
struct SaveMerging {
  let before: ContextSnapshot
  /// New objects that became others, by root entity.
  var successors: [EntityDescription: [Int64: Int64]] = [:]
}

extension ManagedObjectContext {
  /// Called before the first change that a merge policy makes. What it has to look at is stored now, whatever moment the
  /// context is pinned to.
  func beginMerging() {
    if merging == nil { merging = SaveMerging(before: ContextSnapshot(self)) }
    if queryGenerationToken != nil { source = persistentStoreCoordinator }
  }

  /// - Parameter isSaved: Whether the save went through; else everything is as it was before.
  func endMerging(isSaved: Bool) {
    guard let done = merging else { return }
    merging = nil
    guard isSaved else { return done.before.restore(self) }
    source = done.before.source
    // What was read of to-manys between the tries may be of rows that the save has overwritten.
    refaultRelationships()
    for (root, successors) in done.successors {
      for child in children { child.context?.parentMerged(root, successors) }
    }
  }

  /// New objects of the parent were saved as others, which were stored already.
  private func parentMerged(_ root: EntityDescription, _ successors: [Int64: Int64]) {
    tracker.didChange()
    for (old, new) in successors {
      guard let object = registry.object(root, old) else { continue }
      let known = registry.object(root, new)
      let own = parent?.registry.object(root, new)?.entity
      if known?.hasChanges == true || own !== object.entity {
        notifications.record(.deleted, object)
        forget(object)
        continue
      }
      if let known {
        notifications.record(.deleted, known)
        forget(known)
      }
      registry.rename(object, ManagedObjectID(storeEntities[object.entity.index], reference: new))
    }
    for object in registeredObjects {
      object.batch = nil
      object.changes?.rename(leadingTo: root, of: object.entity, successors)
      // The stored objects have links of their own, to anything.
      object.changes?.refault()
      renewRow(object)
    }
    tracker.sweep()
    undoManager?.rename(RenamedReferences(Array(successors.keys), Array(successors.values)), root: root)
    for child in children { child.context?.parentMerged(root, successors) }
  }

  /// Rows made by the parent may hold numbers that it has replaced.
  func renewRow(_ object: ManagedObject) {
    if !object.hasChanges {
      object.node = nil
    } else if !object.isInserted, let parent, let known = try? parent.object(with: object.objectID),
      let node = try? parent.currentNode(known)
    {
      object.node = node
    }
  }
}
