import ObjectModel
import StoreContract

extension ConflictResolver {
  /// Called before the first change that a merge policy makes.
  ///
  /// The policy compares with the current rows, whatever query generation the context is pinned to.
  func beginMerging() {
    if graph.saveMerging == nil { graph.saveMerging = SaveMerging(before: GraphSnapshot(graph)) }
    if queryGenerationToken != nil { graph.source = persistentStoreCoordinator }
  }

  /// Ends the merging of a save.
  /// - Parameter isSaved: Whether the save succeeded; otherwise the graph is restored.
  func endMerging(isSaved: Bool) {
    guard let done = graph.saveMerging else { return }
    graph.saveMerging = nil
    guard isSaved else { return done.before.restore(graph) }
    graph.source = done.before.source
    // To-manys that were read between attempts may show rows that the save has overwritten.
    graph.faulting.refaultRelationships()
    for (root, successors) in done.successors {
      for child in children { child.graph?.conflicts.parentMerged(root, successors) }
    }
  }

  /// Replaces new objects of the parent that it merged into stored objects.
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
      // The stored objects may have other destinations of their own.
      object.changes?.refault()
      graph.faulting.renewRow(object)
    }
    tracker.sweep()
    undoRecorder?.rename(RenamedReferences(Array(successors.keys), Array(successors.values)), root: root)
    for child in children { child.graph?.conflicts.parentMerged(root, successors) }
  }
}
