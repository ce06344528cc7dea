import ObjectModel
import StoreContract

extension ConflictResolver {
  /// Called before the first change that a merge policy makes.
  ///
  /// What it has to look at is stored now, whatever moment the context is pinned to.
  func beginMerging() {
    if graph.saveMerging == nil { graph.saveMerging = SaveMerging(before: GraphSnapshot(graph)) }
    if queryGenerationToken != nil { graph.source = persistentStoreCoordinator }
  }

  /// - Parameter isSaved: Whether the save went through; else everything is as it was before.
  func endMerging(isSaved: Bool) {
    guard let done = graph.saveMerging else { return }
    graph.saveMerging = nil
    guard isSaved else { return done.before.restore(graph) }
    graph.source = done.before.source
    // What was read of to-manys between the tries may be of rows that the save has overwritten.
    graph.faulting.refaultRelationships()
    for (root, successors) in done.successors {
      for child in children { child.graph?.conflicts.parentMerged(root, successors) }
    }
  }

  /// New objects of the parent were saved as others, which were stored already.
  func parentMerged(_ root: EntityDescription, _ successors: [Int64: Int64]) {
    tracker.didChange()
    for (old, new) in successors {
      guard let object = registry.object(root, old) else { continue }
      let known = registry.object(root, new)
      let own = parent?.registry.object(root, new)?.entity
      if known?.hasChanges == true || own !== object.entity {
        notifications.record(.deleted, object)
        graph.forget(object)
        continue
      }
      if let known {
        notifications.record(.deleted, known)
        graph.forget(known)
      }
      registry.rename(object, ManagedObjectID(storeEntities[object.entity.index], reference: new))
    }
    for object in registeredObjects {
      object.batch = nil
      object.changes?.rename(leadingTo: root, of: object.entity, successors)
      // The stored objects have links of their own, to anything.
      object.changes?.refault()
      graph.faulting.renewRow(object)
    }
    tracker.sweep()
    undoRecorder?.rename(RenamedReferences(Array(successors.keys), Array(successors.values)), root: root)
    for child in children { child.graph?.conflicts.parentMerged(root, successors) }
  }
}
