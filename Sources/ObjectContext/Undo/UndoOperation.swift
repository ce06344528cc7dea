import ObjectModel
import StoreContract

struct UndoOperation: GraphOperation {
  let graph: ObjectGraph

  /// Undoes or redoes the last group of an undo manager.
  func revert(_ undoManager: UndoManager?, isRedo: Bool) throws {
    try graph.merging.mergeChanges()
    guard let undoManager else { return }
    var touched: [ManagedObject: SnapshotEvents] = [:]
    defer {
      // What was saved meanwhile is changed again, and not by any of the calls that say so.
      if tracker.hasChanges { tracker.didReceiveChanges?() }
      graph.endEvent()
    }
    try undoManager.run(isRedo: isRedo) { steps in
      defer {
        tidy(Array(touched.keys))
        if touched.values.contains(where: { $0.contains(.undoDeletion) }) {
          graph.faulting.refaultRelationships()
        }
        for (object, events) in touched { object.awakeFromSnapshotEvents(events) }
      }
      let (rows, all) = (try rowsStoredAgain(steps), steps)
      while let step = steps.last {
        if let event = try perform(step, rows) { touched[step.object, default: []].insert(event) }
        steps.removeLast()
      }
      try completeDeletions(touched, all)
      for case .set(let object, let index, _) in all where object.graph === graph && !object.isDeleted {
        try joinDestination(object, object.entity.properties[index])
      }
    }
  }

  /// Updates relationships of objects that were deleted again or restored.
  ///
  /// Other objects may have been connected with them meanwhile.
  private func completeDeletions(_ touched: [ManagedObject: SnapshotEvents], _ steps: [UndoStep]) throws {
    for object in tracker.deleted where touched[object] != nil && object.isDeleted {
      try graph.relationships.deleteAgain(object)
    }
    let back = touched.filter { object, events in
      events.contains(.undoDeletion) && object.graph === graph && !object.isDeleted
    }
    for object in back.keys { try reconnect(object) }
    for step in steps { try alignRelationship(of: step) { back[$0] != nil } }
    for (object, events) in touched where !events.isDisjoint(with: [.undoInsertion, .undoDeletion]) {
      try releaseOthers(object)
    }
  }

  /// Brings the other ends of a restored object's relationships in step with the object.
  func reconnect(_ object: ManagedObject) throws {
    try graph.relationships.followDeletions(of: object)
    try alignInverses(of: object)
  }

  /// Where a step added a restored object to a to-many, or removed it, the object's own list
  /// decides: its deletion did not change that list, and later changes by other objects are in it.
  private func alignRelationship(of step: UndoStep, where isBack: (ManagedObject) -> Bool) throws {
    let (end, relationship, destination): (ManagedObject, RelationshipDescription, Int64)
    switch step {
    case .added(let object, let toMany, let reference):
      (end, relationship, destination) = (object, toMany, reference)
    case .removed(let object, let toMany, let reference, _):
      (end, relationship, destination) = (object, toMany, reference)
    default: return
    }
    guard let inverse = relationship.inverse, inverse.isToMany, !inverse.isTransient,
      let object = registry.object(relationship.destination, destination), isBack(object), object !== end
    else { return }
    _ = try object.destinations(inverse)
    align(end, relationship, with: object, object.toManyState(inverse))
  }

  /// Aligns the inverses of its to-ones and lists: no list contained it while it was deleted, nor
  /// objects that were restored with it, and steps do not record all of them.
  private func alignInverses(of object: ManagedObject) throws {
    for (relationship, inverse) in object.entity.bidirectionalToOnes where inverse.isToMany {
      try graph.relationships.alignLists(of: object, relationship, inverse, before: nil)
    }
    for relationship in object.entity.relationships where relationship.isToMany && !relationship.isTransient {
      guard let inverse = relationship.inverse, inverse.isToMany else { continue }
      let destinations = try object.destinations(relationship).references
      let own = object.toManyState(relationship)
      for reference in destinations {
        guard let end = registry.object(relationship.destination, reference),
          end !== object || inverse !== relationship
        else { continue }
        align(end, inverse, with: object, own)
      }
    }
  }

  /// A restored object may list objects that reference another one by now: their destination was
  /// not restored yet, or they were changed meanwhile.
  private func releaseOthers(_ object: ManagedObject) throws {
    guard object.graph === graph, !object.isDeleted else { return }
    for relationship in object.entity.relationships where relationship.isToMany && !relationship.isTransient {
      guard let inverse = relationship.inverse, !inverse.isToMany else { continue }
      for end in try object.destinations(relationship)
      where try graph.relationships.exists(end) && end.destination(inverse) !== object {
        try graph.relationships.removeDestination(end.reference, from: object, relationship, isKnown: true)
      }
    }
  }

  private func align(
    _ end: ManagedObject, _ relationship: RelationshipDescription, with object: ManagedObject,
    _ own: ToManyState
  ) {
    let (isHere, isAdded) = (!own.lacks(end.reference), own.isAdded(end.reference))
    let isStored = isHere ? !isAdded : own.removed.contains(end.reference)
    // A new object's list is known even if nothing is in it.
    let list = end.isInserted ? end.toManyState(relationship) : end.changes?.knownToMany(relationship)
    guard let list else { return }
    list.align(object.reference, isHere: isHere, isStored: isStored)
    // A merge drops what belongs to no changed object.
    if list.hasChanges, !end.hasChanges { tracker.recordUpdate(end) }
  }

  /// The rows of objects to restore that were stored again elsewhere.
  ///
  /// This takes one statement for each root entity.
  private func rowsStoredAgain(_ steps: [UndoStep]) throws -> [ManagedObject: IncrementalStoreNode] {
    let objects = steps.compactMap { step -> ManagedObject? in
      guard case .deleted(let object) = step, object.graph == nil, object.node != nil else {
        return nil
      }
      return object
    }
    var rows: [ManagedObject: IncrementalStoreNode] = [:]
    for (root, own) in Dictionary(grouping: objects, by: \.entity.root) {
      for (object, row) in zip(own, try source.newValues(for: own.map(\.reference), of: root)) {
        rows[object] = row
      }
    }
    return rows
  }

  /// Undoes one step; returns nil when its object is no longer in the graph.
  private func perform(_ step: UndoStep, _ rows: [ManagedObject: IncrementalStoreNode]) throws
    -> SnapshotEvents?
  {
    let object = step.object
    switch step {
    case .inserted: return try markDeletedAgain(object) ? .undoInsertion : nil
    case .discarded:
      bringBack(object)
      return .undoInsertion
    case .deleted:
      undelete(object)
      if object.isInserted, let row = rows[object] {
        graph.relationships.becomeStored(object)
        try graph.relationships.rebase(object, on: row)
      }
      return .undoDeletion
    case .undeleted: return try markDeletedAgain(object) ? .undoDeletion : nil
    default:
      guard try isUsable(object) else { return nil }
      return try revertProperty(step) ? .undoUpdate : nil
    }
  }

  /// Reverts a step's change of a property; returns false when the destination is deleted.
  private func revertProperty(_ step: UndoStep) throws -> Bool {
    switch step {
    case .set(let object, let index, let old):
      try leaveDestination(object, object.entity.properties[index], unless: old)
      object.setSlot(index, try referencesDeleted(object, index, old) ? .null : old)
      if object.entity.properties[index].isStored { tracker.recordUpdate(object) }
    case .added(let object, let relationship, let destination):
      try graph.relationships.removeDestination(destination, from: object, relationship)
    case .removed(let object, let relationship, let destination, let index):
      if try isDeletedInStore(destination, relationship.destination) { return false }
      try graph.relationships.addDestination(destination, to: object, relationship, at: index)
    case .moved(let object, let relationship, let destination, let index):
      guard try object.destinations(relationship).references.contains(destination) else { return false }
      let last = object.toManyState(relationship).current.map { $0.count - 1 } ?? 0
      try graph.relationships.move(destination, in: object, relationship, to: min(index, last))
    case .reordered(let object, let relationship, let order):
      let present = Set(try object.destinations(relationship).references)
      let wanted = order.filter(present.contains)
      if wanted.count == present.count { try graph.relationships.reorder(object, relationship, wanted) }
    case .inserted, .discarded, .deleted, .undeleted: return false
    }
    return true
  }

  /// Removes a new object or deletes a saved one; returns false when it is deleted already.
  private func markDeletedAgain(_ object: ManagedObject) throws -> Bool {
    guard object.graph === graph, !object.isDeleted else { return false }
    if object.isInserted { discardInsertion(object) } else { try markDeleted(object) }
    return true
  }

  /// Removes the object from the inverse of a destination that a merge has set since.
  ///
  /// The later steps have done so for all other destinations.
  private func leaveDestination(
    _ object: ManagedObject, _ property: PropertyDescription, unless old: AttributeValue
  ) throws {
    guard case .relationship(let relationship) = property, let inverse = relationship.inverse,
      !inverse.isTransient, let destination = try object.destination(relationship),
      !destination.state.contains(.deletedInStore),
      old != .reference(destination.reference)
    else { return }
    if inverse.isToMany {
      if destination.changes?.knownToMany(inverse)?.lacks(object.reference) == true { return }
      if try graph.relationships.exists(destination) {
        try graph.relationships.removeDestination(object.reference, from: destination, inverse, isKnown: true)
      }
    } else if try graph.relationships.exists(destination), try destination.destination(inverse) === object {
      try graph.relationships.assign(destination, inverse, nil)
    }
  }

  /// Adds the object to the to-many of its destination, from which a merge has taken it since.
  ///
  /// Other steps have done so for all other destinations, in their order.
  private func joinDestination(_ object: ManagedObject, _ property: PropertyDescription) throws {
    guard case .relationship(let relationship) = property, let inverse = relationship.inverse,
      inverse.isToMany, !inverse.isTransient, let destination = try object.destination(relationship),
      !destination.isDeleted, !destination.state.contains(.deletedInStore)
    else { return }
    let list = destination.changes?.knownToMany(inverse)
    if let list, list.isLoaded {
      guard list.lacks(object.reference) else { return }
    } else {
      // What is stored is read with the list.
      let stored = object.isInserted ? nil : object.node?.value(of: property)
      if stored == .reference(destination.reference) || list?.isAdded(object.reference) == true { return }
    }
    try graph.relationships.addDestination(object.reference, to: destination, inverse)
  }

  private func referencesDeleted(_ object: ManagedObject, _ index: Int, _ value: AttributeValue) throws
    -> Bool
  {
    guard case .relationship(let relationship) = object.entity.properties[index],
      case .reference(let reference) = value
    else { return false }
    return try isDeletedInStore(reference, relationship.destination)
  }

  /// Whether an object was deleted elsewhere; it need not be registered.
  private func isDeletedInStore(_ reference: Int64, _ destination: EntityDescription) throws -> Bool {
    try !graph.relationships.exists(graph.faulting.materialize(reference, destination, nil))
  }

  private func isUsable(_ object: ManagedObject) throws -> Bool {
    guard object.graph === graph else { return false }
    return try graph.relationships.exists(object)
  }

  /// Removes a new object in a way that can be undone.
  private func discardInsertion(_ object: ManagedObject) {
    graph.discard(object)
    graph.record(.discarded(object))
    notifications.record(.deleted, object)
  }

  /// Inserts an object again that was new when it was removed.
  private func bringBack(_ object: ManagedObject) {
    guard object.graph == nil else { return }
    adopt(object, state: [.inserted])
    tracker.addInserted(object)
    graph.record(.inserted(object))
    notifications.record(.inserted, object)
  }

  /// Marks an object deleted after reading all its values.
  private func markDeleted(_ object: ManagedObject) throws {
    guard try graph.relationships.exists(object) else { return }
    try graph.deletion.readWhole(object)
    object.state.insert(.deleted)
    tracker.addDeleted(object)
    graph.record(.deleted(object))
    notifications.record(.deleted, object)
  }

  /// Reverts an unsaved deletion: the object stays, with its current values.
  func insertAgain(_ object: ManagedObject) {
    guard object.isDeleted, object.graph === graph else { return }
    undelete(object)
    tracker.sweep()
  }

  /// Restores a deleted object; if its deletion was saved, the object is new again with its old ID.
  private func undelete(_ object: ManagedObject) {
    if object.graph === graph {
      // The object was deleted elsewhere too.
      if object.state.contains(.deletedInStore) { return }
      object.state.remove(.deleted)
      graph.record(.undeleted(object))
      return notifications.record(.inserted, object)
    }
    guard object.graph == nil, let row = object.node else { return }
    adopt(object, state: [.inserted])
    reinsert(object, over: row)
    graph.record(.undeleted(object))
    notifications.record(.inserted, object)
  }

  private func adopt(_ object: ManagedObject, state: ManagedObject.State) {
    if let other = registry.object(object.entity, object.reference), other !== object { graph.forget(other) }
    tracker.sweepInserted()
    object.state = state
    object.graph = graph
    registry.insert(object)
    graph.readmit(object)
  }

  /// Makes an object whose row was deleted a new object with its current values.
  ///
  /// Its next version follows that of the row.
  func reinsert(_ object: ManagedObject, over row: IncrementalStoreNode) {
    let toManys = object.changes?.toManys ?? []
    let changes = ObjectChanges(defaultsOf: object.entity, isWatched: notifications.isWatched)
    for property in object.entity.properties {
      let value: AttributeValue
      if let changed = object.changes?.value(property.index) {
        value = changed
      } else if property.isStored, !row.isUnread(property) {
        value = row.value(of: property)
      } else {
        // External values that were not read were deleted with the row.
        continue
      }
      changes.set(
        property.index, value, propertyCount: object.entity.propertyCount, isWatched: notifications.isWatched)
    }
    changes.adopt(toManys)
    object.changes = changes
    object.state = [.inserted]
    tracker.addInserted(object)
  }

  /// What is as it is stored again has no changes.
  private func tidy(_ objects: [ManagedObject]) {
    for object in objects where object.state == [.updated] && !object.hasPersistentChangedValues {
      if object.changes?.committedRow != nil {
        // The row differs from the one that the values were set back to, and may reference an
        // object that is marked for deletion.
        do { try graph.withoutUndo { try graph.relationships.drop(object) } } catch {
          graph.recordFaultFailure(error)
        }
        object.changes?.committedRow = nil
        if object.hasPersistentChangedValues {
          tracker.recordUpdate(object)
          continue
        }
      }
      object.state.remove(.updated)
      object.changes?.settle(plans[object.entity].transientSlots)
      object.changes = object.changes
    }
    graph.faulting.markDeferredDeleted()
    tracker.sweep()
  }
}

extension ObjectGraph {
  var undoing: UndoOperation { UndoOperation(graph: self) }
}
