import ObjectModel
import StoreContract

extension SaveOperation {
  /// Writes this child's changes into the parent's objects, by property: the child's values win.
  ///
  /// Issues no statement, unless objects are faults in the parent or are deleted; one for each root entity
  /// with new destinations whose rows the parent has not read.
  func save(into parent: ObjectGraph) throws -> ContextChanges {
    try validate()
    let (inserted, updated, deleted) = (tracker.inserted, tracker.updatedToSave, tracker.deleted)
    let changed = inserted + updated
    let changes = changes(inserted: inserted, updated: updated)
    // Everything that can fail precedes the first change.
    let destinations = try parent.saving.objectsToUpdate(changes.updated)
    let doomed = try parent.saving.objectsToDelete(changes.deleted)
    for object in inserted { try parent.saving.readKnown(object) }
    var unread: [EntityDescription: Set<Int64>] = [:]
    for object in changed {
      _ = try graph.faulting.currentNode(object)
      try parent.saving.checkDestinations(of: object, &unread)
    }
    try parent.saving.checkRows(unread)
    try loadOrders(of: changed + deleted)

    try parent.saving.takeIn(inserted: inserted)
    for (object, destination) in zip(updated, destinations) {
      try parent.saving.takeIn(object, over: destination)
    }
    for object in inserted { try parent.saving.takeInOneToOnes(of: object) }
    // To-manys come last: by then each object has its to-ones.
    for object in changed + deleted { try parent.saving.takeInToManys(of: object) }
    // The delete rules also apply to destinations that the parent has added since.
    try parent.deletion.delete(doomed, callsHooks: false)
    // Until its relationship changes are in the parent, nothing else may retain a parent's object.
    withExtendedLifetime((destinations, doomed)) {}
    try settle(inserted: inserted, updated: updated, deleted: deleted, in: parent)
    parent.endEvent()
    return changes
  }

  /// The objects that a child has changed, with their rows read.
  private func objectsToUpdate(_ ids: [ManagedObjectID]) throws -> [ManagedObject] {
    if let id = ids.first(where: isDiscarded) { throw deletedHere(id.entity) }
    let objects = try graph.faulting.objects(with: ids)
    for object in objects {
      if !object.isInserted { _ = try object.row() }
      if object.isDeleted { throw deletedHere(object.entity) }
    }
    return objects
  }

  private func deletedHere(_ entity: EntityDescription) -> ContextError {
    ContextError(
      .conflict, "a changed \(entity.name) is deleted in the parent context; refresh or delete it here")
  }

  private func isDiscarded(_ id: ManagedObjectID) -> Bool { isDiscarded(id.reference, id.entity) }

  /// Whether an object that a child has was new in this context or above, and is deleted: no row says so.
  private func isDiscarded(_ reference: Int64, _ entity: EntityDescription) -> Bool {
    if registry.object(entity, reference) != nil { return false }
    if graph.discarded[entity.root]?.contains(reference) == true { return true }
    return parent?.saving.isDiscarded(reference, entity) ?? (reference < 0)
  }

  /// The objects that a child has deleted, with their rows read.
  private func objectsToDelete(_ ids: [ManagedObjectID]) throws -> [ManagedObject] {
    let objects = try graph.faulting.objects(with: ids.filter { !isDiscarded($0) })
    for object in objects where !object.isInserted && !object.isDeleted { _ = try object.row() }
    return objects
  }

  /// Loads the changed ordered to-manys, whose orders are merged with the parent's.
  private func loadOrders(of objects: [ManagedObject]) throws {
    for object in objects {
      for state in object.changes?.toManys ?? []
      where state.hasChanges && state.relationship.isOrdered && !state.isLoaded {
        try graph.faulting.load(state, of: object)
      }
    }
  }

  /// Removes the child's changes after they were written into the parent.
  private func settle(
    inserted: [ManagedObject], updated: [ManagedObject], deleted: [ManagedObject], in parent: ObjectGraph
  ) throws {
    tracker.didChange()
    tracker.removeAll()
    for object in inserted + updated {
      // A deletion of this save took it along in the parent, which had given it to the deleted object.
      if parent.saving.isDiscarded(object.objectID) {
        notifications.record(.deleted, object)
        graph.dismiss(object)
        continue
      }
      let node = try parent.faulting.currentNode(parent.faulting.object(with: object.objectID))
      settle(object, node)
    }
    settle(deleted: deleted)
    for object in inserted + updated + deleted { object.didSave() }
  }

  /// Checks that no new destination of a child's object is deleted in this context.
  ///
  /// - `unread`: Takes, by root entity, those of which only their rows say whether they exist.
  private func checkDestinations(of object: ManagedObject, _ unread: inout [EntityDescription: Set<Int64>])
    throws
  {
    for relationship in object.entity.relationships where !relationship.isTransient {
      var destinations = Array(object.changes?.knownToMany(relationship)?.added ?? [])
      if case .reference(let destination)? = object.changes?.value(relationship.index) {
        destinations = [destination]
      }
      for destination in destinations {
        // It is the child's own new object, or one whose deletion the child has reverted.
        if object.graph?.registry.object(relationship.destination, destination)?.isInserted == true {
          continue
        }
        let known = registry.object(relationship.destination, destination)
        if known?.isDeleted ?? isDiscarded(destination, relationship.destination) {
          throw deletedDestination(of: "\(object.entity.name).\(relationship.name)")
        }
        if destination > 0, known?.isInserted != true,
          known?.node == nil || known?.state.contains(.deletedInStore) == true
        {
          unread[relationship.destination.root, default: []].insert(destination)
        }
      }
    }
  }

  private func checkRows(_ unread: [EntityDescription: Set<Int64>]) throws {
    for (root, references) in unread {
      let rows = try graph.source.newValues(for: references.sorted(), of: root)
      if rows.contains(where: { $0 == nil }) { throw deletedDestination(of: "a changed object") }
    }
  }

  private func deletedDestination(of changed: String) -> ContextError {
    ContextError(
      .conflict,
      "\(changed) refers to an object that the parent context deletes, or has deleted; choose another")
  }

  /// Reads the row of this context's object of a child's new object, which was deleted and is
  /// stored again.
  private func readKnown(_ object: ManagedObject) throws {
    guard let known = registry.object(object.entity, object.reference), !known.hasChanges else { return }
    _ = try graph.relationships.exists(known)
  }

  /// Inserts a child's new objects under the same IDs.
  ///
  /// Those that this context has, deleted or not, come last: what they refer to has to be there.
  private func takeIn(inserted objects: [ManagedObject]) throws {
    var known: [(object: ManagedObject, own: ManagedObject)] = []
    for object in objects {
      let own = registry.object(object.entity, object.reference)
      if let own, !own.state.contains(.deletedInStore) {
        known.append((object, own))
      } else {
        if let own { graph.forget(own) }
        insert(object)
      }
    }
    if known.isEmpty { return }
    let restored = known.map(\.own).filter(\.isDeleted)
    for own in restored {
      own.state.remove(.deleted)
      if notifications.isWatched { graph.record(.undeleted(own)) }
      notifications.record(.inserted, own)
    }
    tracker.sweep()
    for (object, own) in known { try takeIn(object, again: own) }
    // This context may have linked these, or their destinations, before it deleted them.
    for own in restored {
      try leaveDeleted(own)
      try graph.undoing.reconnect(own)
    }
  }

  /// Removes from a restored object's to-manys what this context deletes, or has discarded: a deletion
  /// does not change the to-manys of what is deleted with it.
  private func leaveDeleted(_ object: ManagedObject) throws {
    for state in object.changes?.toManys ?? [] {
      let end = state.relationship.destination
      for reference in try object.destinations(state.relationship).references
      where registry.object(end, reference)?.isDeleted ?? isDiscarded(reference, end) {
        try graph.relationships.removeDestination(reference, from: object, state.relationship)
      }
    }
  }

  private func insert(_ object: ManagedObject) {
    let own = graph.make(object.storeEntity, object.reference, nil, nil)
    let changes = ObjectChanges(defaultsOf: object.entity, isWatched: notifications.isWatched)
    let oneToOnes = plans[object.entity].oneToOnes
    for property in object.entity.properties where !oneToOnes.contains(property.index) {
      guard let value = object.changes?.value(property.index) else { continue }
      changes.set(
        property.index, value, propertyCount: object.entity.propertyCount, isWatched: notifications.isWatched)
    }
    own.changes = changes
    own.state.insert(.inserted)
    // An object that is inserted again after its deletion was saved continues from its old version.
    own.node = object.node
    tracker.addInserted(own)
    graph.readmit(own)
    if notifications.isWatched { graph.record(.inserted(own)) }
    notifications.record(.inserted, own)
  }

  /// Sets a new object's one-to-ones: in this context their destinations may have one with others.
  private func takeInOneToOnes(of object: ManagedObject) throws {
    let indexes = plans[object.entity].oneToOnes
    guard !indexes.isEmpty, let own = registry.object(object.entity, object.reference) else { return }
    for index in indexes {
      guard case .relationship(let relationship) = object.entity.properties[index],
        case .reference(let reference)? = object.changes?.value(index)
      else { continue }
      let end = graph.faulting.materialize(reference, relationship.destination, nil)
      try graph.relationships.setToOne(own, relationship, end)
    }
  }

  /// Writes a child's new object into an object that this context has: its deletion here was reverted, or
  /// deferred since it has changes too, or it was stored again already.
  private func takeIn(_ object: ManagedObject, again known: ManagedObject) throws {
    if tracker.deferredDeletions.contains(known), let row = known.changes?.committedRow ?? known.node {
      graph.undoing.reinsert(known, over: row)
      tracker.removeDeferredDeletion(of: known)
      tracker.sweep()
    }
    try takeIn(object, over: known)
  }

  private func takeIn(_ object: ManagedObject, over own: ManagedObject) throws {
    for property in object.entity.properties where !property.isTransient {
      guard let value = object.changes?.value(property.index), try own.slotValue(property) != value else {
        continue
      }
      guard case .relationship(let relationship) = property else {
        own.setSlot(property.index, value)
        tracker.recordUpdate(own)
        continue
      }
      // The destination in the parent may differ from the one that the child read.
      var destination: ManagedObject?
      if case .reference(let reference) = value {
        destination = graph.faulting.materialize(reference, relationship.destination, nil)
      }
      try graph.relationships.setToOne(own, relationship, destination)
    }
  }

  private func takeInToManys(of object: ManagedObject) throws {
    guard let own = registry.object(object.entity, object.reference) else { return }
    for state in object.changes?.toManys ?? [] where state.hasChanges && !state.relationship.isTransient {
      if let inverse = state.relationship.inverse, !inverse.isToMany {
        try followToOnes(inverse, state, of: own)
      } else {
        try takeInLinks(state, of: own, isDeleted: object.isDeleted || own.isDeleted)
      }
      guard state.relationship.isOrdered else { continue }
      let present = try own.destinations(state.relationship).references
      let wanted = (state.current ?? []).filter(Set(present).contains)
      let known = Set(wanted)
      try graph.relationships.reorder(
        own, state.relationship, wanted + present.filter { !known.contains($0) })
    }
  }

  /// Brings a to-many in step with its inverse, a to-one, for the destinations that the child changed.
  private func followToOnes(
    _ inverse: RelationshipDescription, _ state: ToManyState, of own: ManagedObject
  ) throws {
    for reference in state.removed.union(state.added) {
      guard let end = registry.object(inverse.entity, reference) else { continue }
      if try end.destination(inverse) === own {
        try graph.relationships.addDestination(reference, to: own, state.relationship)
      } else {
        try graph.relationships.removeDestination(reference, from: own, state.relationship)
      }
    }
  }

  /// Changes both ends: what the child has read of one of them may be older than the other.
  private func takeInLinks(_ state: ToManyState, of own: ManagedObject, isDeleted: Bool) throws {
    let relationship = state.relationship
    for reference in state.removed {
      // What is deleted here has left the other ends already.
      if !own.isDeleted, relationship.inverse != nil,
        let end = registry.object(relationship.destination, reference)
      {
        try graph.relationships.unlink(own, relationship, end)
      } else {
        try graph.relationships.removeDestination(reference, from: own, relationship)
      }
    }
    // The child's deletion of the object took these back.
    let added = isDeleted ? [] : state.added
    for reference in added {
      let end = graph.faulting.materialize(reference, relationship.destination, nil)
      try graph.relationships.link(own, relationship, end)
    }
  }

  /// Renames objects after the parent's new objects received permanent IDs.
  func parentTookPermanentIDs(_ renamed: [(ManagedObjectID, ManagedObjectID)], _ permanent: RenamedReferences)
  {
    tracker.didChange()
    for (old, id) in renamed {
      if let object = registry.object(old.entity, old.reference) { registry.rename(object, id) }
    }
    for object in registeredObjects {
      object.batch = nil
      object.changes?.rename(permanent)
      graph.faulting.renewRow(object)
    }
    undoRecorder?.rename(permanent, root: nil)
    notifications.objectsWereRenamed()
    for child in children { child.graph?.saving.parentTookPermanentIDs(renamed, permanent) }
  }
}
