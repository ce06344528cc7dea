import ObjectModel
import StoreContract

/// A graph before a merge policy resolved conflicts of a save: restored where the save fails all
/// the same.
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
    // The others were registered after the snapshot.
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

/// What a merge policy has done to a graph in a save that is under way.
struct SaveMerging {
  let before: GraphSnapshot
  /// The reference numbers of stored objects that new ones were merged into, by root entity.
  var successors: [EntityDescription: [Int64: Int64]] = [:]
}
