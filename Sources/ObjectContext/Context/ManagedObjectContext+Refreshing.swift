import ObjectModel
import StoreContract

extension ManagedObjectContext {
  /// Brings an object up to date with the store. Without merging, its changes are dropped and it turns into a fault;
  /// with merging, its row is read now (one statement) and its changes stay on top.
  /// - Throws: `objectGone` when merging and the row is gone.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
    guard !object.isInserted, object.managedObjectContext === self else { return }
    generation += 1
    if mergeChanges {
      guard let node = try source.newValues(for: [object.reference], of: object.entity)[0] else {
        throw ContextError(.objectGone, "\(object.entity.name) \(object.objectID) is no longer in the store")
      }
      rebase(object, on: node)
      object.awakeFromSnapshotEvents(.refresh)
    } else {
      if object.hasChanges {
        object.state.subtract([.updated, .deleted])
        updatedList.removeAll { $0 === object }
        deletedList.removeAll { $0 === object }
      }
      turnIntoFault(object)
    }
    noteChange(.refreshed, object)
  }

  /// Turns every unchanged object into a fault, so that the next read brings what is stored then.
  public func refreshAllObjects() {
    generation += 1
    for object in registeredObjects where !object.hasChanges {
      turnIntoFault(object)
      noteChange(.refreshed, object)
    }
  }

  /// Lets go of an object's row and of what is known of its relationships.
  func turnIntoFault(_ object: ManagedObject, batch: FetchBatch? = nil) {
    if object.unmanagedNode == nil, object.unmanagedChanges == nil { return }
    object.willTurnIntoFault()
    object.node = nil
    object.changes = nil
    if let batch { object.batch = batch }
    object.didTurnIntoFault()
  }

  /// Puts another row beneath an object's changes.
  func rebase(_ object: ManagedObject, on node: IncrementalStoreNode) {
    object.node = node
    object.changes?.refault()
    if object.tellsOfChanges { object.valuesDidChange(at: nil) }
  }

  /// What is no longer there, or never was.
  func forget(_ object: ManagedObject) {
    if object.state.contains(.inserted) { insertedList.removeAll { $0 === object } }
    if object.state.contains(.updated) { updatedList.removeAll { $0 === object } }
    if object.state.contains(.deleted) { deletedList.removeAll { $0 === object } }
    unregister(object)
    object.state = [.gone]
    object.changes = nil
    object.node = nil
    object.managedObjectContext = nil
  }
}
