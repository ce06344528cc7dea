import ObjectModel
import StoreContract

extension ManagedObjectContext {
  /// Writes this child's changes into the parent's objects, property by property: what was set here wins. No statement,
  /// unless objects are faults there, or deleted.
  func save(into parent: ManagedObjectContext) throws -> ContextChanges {
    try validate()
    let (inserted, updated, deleted) = (tracker.inserted, tracker.updatedToSave, tracker.deleted)
    var changes = ContextChanges(contextName: name)
    changes.inserted = inserted.map(\.objectID)
    changes.updated = updated.map(\.objectID)
    changes.deleted = deleted.map(\.objectID)
    // Whatever can fail comes before the first change.
    let destinations = try parent.objects(with: changes.updated)
    for destination in destinations {
      if !destination.isInserted { _ = try destination.row() }
      if destination.isDeleted {
        throw ContextError(
          .conflict,
          "a changed \(destination.entity.name) is deleted in the parent context; refresh or delete it here")
      }
    }
    let doomed = try parent.objects(with: changes.deleted)
    for object in doomed where !object.isInserted && !object.isDeleted { _ = try object.row() }

    for object in inserted + updated {
      _ = try currentNode(object)
      try parent.checkDestinations(of: object)
    }
    // Orders too, as they are above the parent's of before.
    for object in inserted + updated + deleted {
      for state in object.changes?.toManys ?? []
      where state.hasChanges && state.relationship.isOrdered && !state.isLoaded {
        try load(state, of: object)
      }
    }

    for object in inserted { try parent.takeIn(object) }
    for (object, destination) in zip(updated, destinations) { try parent.takeIn(object, over: destination) }
    // Lists come last: by then each object is where its to-one leads.
    for object in inserted + updated + deleted { try parent.takeInToManys(of: object) }
    // The rules of the child's deletions concern what the parent has linked since too.
    try parent.delete(doomed, isTelling: false)
    // An object of which only links change is held by nobody else in the parent until they are taken in.
    withExtendedLifetime((destinations, doomed)) {}

    tracker.didChange()
    tracker.removeAll()
    for object in inserted + updated {
      let node = try parent.currentNode(parent.object(with: object.objectID))
      settle(object, node)
    }
    settle(deleted: deleted)
    for object in inserted + updated + deleted { object.didSave() }
    parent.endEvent()
    return changes
  }

  /// What a child's object is to lead to must not be deleted here.
  private func checkDestinations(of object: ManagedObject) throws {
    for relationship in object.entity.relationships where !relationship.isTransient {
      var destinations = Array(object.changes?.knownToMany(relationship)?.added ?? [])
      if case .reference(let destination)? = object.changes?.value(relationship.index) {
        destinations = [destination]
      }
      for destination in destinations
      where registry.object(relationship.destination, destination)?.isDeleted == true {
        // Its deletion may have been taken back.
        if object.managedObjectContext?.registry.object(relationship.destination, destination)?.isInserted
          == true
        {
          continue
        }
        throw ContextError(
          .conflict,
          "\(object.entity.name).\(relationship.name) is to lead to what is deleted in the parent context; choose another"
        )
      }
    }
  }

  /// A child's new object is new here too, under the same ID; one whose deletion the child took back stays.
  private func takeIn(_ object: ManagedObject) throws {
    let known = registry.object(object.entity, object.reference)
    if let known, known.state.contains(.deletedInStore) {
      forget(known)
    } else if let deleted = known, deleted.isDeleted {
      deleted.state.remove(.deleted)
      tracker.sweep()
      if notifications.isWatched { record(.undeleted(deleted)) }
      notifications.record(.inserted, deleted)
      return try takeIn(object, over: deleted)
    }
    let own = make(object.storeEntity, object.reference, nil, nil)
    let changes = ObjectChanges(defaultsOf: object.entity, isWatched: notifications.isWatched)
    for property in object.entity.properties {
      guard let value = object.changes?.value(property.index) else { continue }
      changes.set(
        property.index, value, propertyCount: object.entity.propertyCount, isWatched: notifications.isWatched)
    }
    own.changes = changes
    own.state.insert(.inserted)
    // One that came back after its deletion was saved follows the version it had.
    own.node = object.node
    tracker.addInserted(own)
    if notifications.isWatched { record(.inserted(own)) }
    notifications.record(.inserted, own)
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
      // Where it leads here may not be where the child saw it lead.
      var destination: ManagedObject?
      if case .reference(let reference) = value {
        destination = materialize(reference, relationship.destination, nil)
      }
      try setToOne(own, relationship, destination)
    }
  }

  private func takeInToManys(of object: ManagedObject) throws {
    guard let own = registry.object(object.entity, object.reference) else { return }
    for state in object.changes?.toManys ?? [] where state.hasChanges && !state.relationship.isTransient {
      for destination in state.removed { try removeDestination(destination, from: own, state.relationship) }
      for destination in state.added { try addDestination(destination, to: own, state.relationship) }
      guard state.relationship.isOrdered else { continue }
      let present = try own.destinations(state.relationship).references
      let wanted = (state.current ?? []).filter(Set(present).contains)
      let known = Set(wanted)
      try reorder(own, state.relationship, wanted + present.filter { !known.contains($0) })
    }
  }

  /// The parent's new objects have permanent IDs now.
  func parentTookPermanentIDs(_ renamed: [(ManagedObjectID, ManagedObjectID)], _ permanent: RenamedReferences)
  {
    tracker.didChange()
    for (old, id) in renamed {
      if let object = registry.object(old.entity, old.reference) { registry.rename(object, id) }
    }
    for object in registeredObjects {
      object.batch = nil
      object.changes?.rename(permanent)
      renewRow(object)
    }
    undoManager?.rename(permanent)
    notifications.objectsWereRenamed()
    for child in children { child.context?.parentTookPermanentIDs(renamed, permanent) }
  }
}
