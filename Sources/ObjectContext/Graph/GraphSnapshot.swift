import ObjectModel
import StoreContract

/// The state of a graph before a merge policy resolves a save's conflicts.
///
/// It is restored if the save fails nevertheless.
struct GraphSnapshot {
  private struct Object {
    let object: ManagedObject
    let (reference, storeEntity): (Int64, StoreEntity)
    let state: ManagedObject.State
    let node: IncrementalStoreNode?
    let changes: ObjectChanges?
  }

  let source: any ContextSource
  private let objects: [Object]
  private let lists: ChangeTracker.Snapshot
  private let restoreUndo: (() -> Void)?

  init(_ graph: ObjectGraph) {
    source = graph.source
    objects = graph.registeredObjects.map { object in
      Object(
        object: object, reference: object.reference, storeEntity: object.storeEntity, state: object.state,
        node: object.node, changes: object.changes?.copy())
    }
    lists = graph.tracker.snapshot
    restoreUndo = graph.undoRecorder?.restoration()
  }

  func restore(_ graph: ObjectGraph) {
    for item in objects where item.object.graph === graph {
      graph.registry.remove(item.object)
    }
    // The remaining objects were registered after the snapshot.
    for object in graph.registeredObjects {
      object.changes = nil
      object.state = []
    }
    for item in objects {
      let object = item.object
      if let other = graph.registry.object(item.storeEntity.entity, item.reference) {
        graph.forget(other)
      }
      (object.reference, object.storeEntity) = (item.reference, item.storeEntity)
      (object.state, object.node, object.changes) = (item.state, item.node, item.changes)
      object.batch = nil
      object.graph = graph
      graph.registry.insert(object)
      if object.reportsChanges { object.valuesDidChange(at: nil) }
    }
    graph.tracker.restore(lists)
    restoreUndo?()
    graph.source = source
    graph.notifications.markStale()
  }
}

/// The changes that a merge policy made to a graph during the current save.
struct SaveMerging {
  let before: GraphSnapshot
  /// The reference numbers of the stored objects that new objects were merged into.
  ///
  /// By root entity and the new object's reference number.
  var successors: [EntityDescription: [Int64: Int64]] = [:]
}
