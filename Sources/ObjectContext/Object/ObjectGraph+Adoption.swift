package import ObjectModel
import StoreContract

/// What a layer above needs that presents managed objects as objects of its own.
extension ObjectGraph {
  /// Whether streams or live results observe the graph.
  package var isObserved: Bool { notifications.isObserved }

  /// Called when an object without changes gets some.
  package var didReceiveChanges: (() -> Void)? {
    get { tracker.didReceiveChanges }
    set { tracker.didReceiveChanges = newValue }
  }

  /// Whether `didReceiveChanges` is called for changes of objects that have some already, too.
  ///
  /// Setting a property takes longer meanwhile.
  package var reportsEveryChange: Bool {
    get { notifications.reportsEveryChange }
    set { notifications.reportsEveryChange = newValue }
  }

  /// Inserts an object that has no context: it is new here, with the values it has.
  ///
  /// Its relationships have to be empty.
  /// - Precondition: The object is detached, and the entity has the property indexes of the one it
  ///   was made with.
  package func adopt(_ object: ManagedObject, as entity: EntityDescription) {
    #if DEBUG
      isolation.check { "a context" }
    #endif
    precondition(
      object.graph == nil && entity.propertyCount == object.entity.propertyCount,
      "a \(entity.name) can be inserted into one context only")
    tracker.sweepInserted()
    object.storeEntity = temporaryEntities[entity.index]
    if object.reference >= 0 { object.reference = ManagedObjectID.nextTemporaryReference() }
    if notifications.isWatched { object.changes?.overwritable = nil }
    insert(object)
  }

  /// Takes an unsaved deletion back: the object stays, with the values it has now.
  ///
  /// What its delete rules emptied stays empty, and what they deleted stays deleted. Does nothing
  /// for other objects. Issues no statement.
  package func insertAgain(_ object: ManagedObject) { undoing.insertAgain(object) }

  /// Whether an object is new or has a row.
  package func exists(_ object: ManagedObject) throws -> Bool { try relationships.exists(object) }

  /// An unregistered, empty object in place of a deleted one whose values are unknown.
  ///
  /// - `type`: What the layer above presents it as.
  package func placeholder(presentedAs type: Any.Type) -> ManagedObject? {
    guard let index = presentedTypes.firstIndex(where: { $0 == type }) else { return nil }
    let object = classes[index].init(
      ManagedObject.Seed(
        storeEntity: temporaryEntities[index], reference: ManagedObjectID.nextTemporaryReference(),
        graph: self, node: nil, batch: nil))
    object.state = [.deletedInStore, .deleted]
    object.node = faulting.emptyNode(object)
    // The registry does not know it, so only this keeps its context alive.
    object.holdContext()
    return object
  }

  /// The layer above was deallocated: discards its changes and detaches its inserted objects.
  package func hostWasDeallocated() {
    // Undo steps would retain objects, and they this graph.
    undoRecorder?.removeAllActions()
    let new = tracker.inserted
    tracker.removeAllInserted()
    for object in new {
      registry.remove(object)
      object.losesContext()
    }
    for object in tracker.updated + tracker.deleted {
      object.releaseContext()
      object.dirty = 0
    }
  }
}
