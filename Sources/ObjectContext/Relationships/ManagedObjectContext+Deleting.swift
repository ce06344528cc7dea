import ObjectModel
import StoreContract

extension ManagedObjectContext {
  /// Marks an object for removal by the next save, and follows its delete rules at once: nullified relationships
  /// are emptied, cascades deleted along, and to-ones without an inverse lead nowhere where they led to it. `deny` is
  /// judged when saving. A new object just goes away.
  ///
  /// Issues a statement per relationship of the batch the object came with, and one for each to-one without an inverse
  /// that may lead to it.
  /// - Throws: when the object's row or relationships cannot be read.
  public func delete(_ object: ManagedObject) throws { try delete([object], isTelling: true) }

  /// - Parameter isTelling: Whether the objects hear of it before.
  func delete(_ objects: [ManagedObject], isTelling: Bool) throws {
    var waiting = Array(objects.reversed())
    var gone: [ManagedObject] = []
    var marked: [ManagedObject] = []
    var all: [ManagedObject] = []
    defer {
      // After all that empties relationships, so that taking it back has every object before it is led to again.
      if notifications.isWatched { for object in marked { recordDeletion(of: object) } }
      unregister(gone)
    }
    do {
      while let next = waiting.popLast() {
        if next.state.contains(.deleted) || next.state.contains(.deletedInStore) { continue }
        guard next.managedObjectContext === self else {
          throw ContextError(
            .objectOfAnotherContext, "a \(next.entity.name) of another context cannot be deleted here")
        }
        if isTelling { next.prepareForDeletion() }
        if !next.isInserted { _ = try next.row() }
        // A fault whose row is gone may have turned deleted.
        if next.state.contains(.deletedInStore) { continue }
        if undoManager != nil { try readWhole(next) }
        next.state.insert(.deleted)
        do {
          for relationship in next.entity.relationships { waiting += try propagate(next, relationship) }
        } catch {
          // Not deleted, then; what was emptied before shows among the changes.
          next.state.remove(.deleted)
          throw error
        }
        if next.isInserted {
          next.state = [.deletedInStore]
          gone.append(next)
        } else {
          tracker.addDeleted(next)
        }
        if notifications.isWatched { marked.append(next) }
        all.append(next)
        tracker.didReceiveChanges?()
      }
    } catch {
      // What was deleted until then is deleted all the same.
      try? nullifyUnidirectional(to: all)
      throw error
    }
    try nullifyUnidirectional(to: all)
  }

  /// New objects that were deleted were never there.
  private func unregister(_ gone: [ManagedObject]) {
    tracker.removeInserted(gone.count)
    for object in gone { dismiss(object) }
  }

  func recordDeletion(of object: ManagedObject) {
    record(object.state.contains(.deletedInStore) ? .tookBack(object) : .deleted(object))
    notifications.record(.deleted, object)
  }

  /// What an undo after the deletion was saved could read no more.
  func readWhole(_ object: ManagedObject) throws {
    for relationship in object.entity.relationships where relationship.isToMany {
      _ = try object.destinations(relationship)
    }
    for attribute in object.entity.attributes where attribute.isExternal {
      _ = try object.slotValue(.attribute(attribute))
    }
  }

  /// Follows one delete rule; answers what is to be deleted along.
  func propagate(_ object: ManagedObject, _ relationship: RelationshipDescription) throws -> [ManagedObject] {
    // What leads to a new object was never stored, so no rule lets it stay.
    switch object.isInserted && relationship.deleteRule != .cascade ? .nullify : relationship.deleteRule {
    case .deny: return []
    case .noAction:
      try revertRelationship(of: object, relationship)
      return []
    case .cascade:
      guard relationship.isToMany else { return try object.destination(relationship).map { [$0] } ?? [] }
      let destinations = try object.destinations(relationship)
      guard let inverse = relationship.inverse, !inverse.isToMany else { return Array(destinations) }
      // One that was given to another object since does not go along.
      return try destinations.filter { try $0.destination(inverse) === object }
    case .nullify: break
    }
    guard relationship.isToMany else {
      try setToOne(object, relationship, nil)
      return []
    }
    guard let inverse = relationship.inverse else { return [] }
    if inverse.isToMany {
      // Stored links go with the row; only what this context has read or changed needs to know, and what has to be
      // counted or may have to be brought back.
      let isCounted = inverse.minCount > 0 || !inverse.isOptional || undoManager != nil
      let destinations = try object.destinations(relationship)
      for (place, reference) in destinations.references.enumerated() {
        let known = isCounted ? destinations[place] : registry.object(relationship.destination, reference)
        guard let known, isCounted || known.changes?.knownToMany(inverse) != nil else { continue }
        try removeDestination(object.reference, from: known, inverse)
      }
    } else {
      for destination in try object.destinations(relationship)
      where try destination.destination(inverse) === object {
        try setToOne(destination, inverse, nil)
      }
    }
    return []
  }

  /// Links that were never stored do not outlive an object, not even where the rule is to do nothing.
  private func revertRelationship(of object: ManagedObject, _ relationship: RelationshipDescription) throws {
    guard relationship.inverse != nil, !relationship.isTransient else { return }
    if relationship.isToMany {
      for destination in Array(object.changes?.knownToMany(relationship)?.added ?? []) {
        guard let end = registry.object(relationship.destination, destination) else { continue }
        try unlink(object, relationship, end)
      }
    } else if let value = object.changes?.value(relationship.index), value != .null,
      value != object.node.map({ $0.value(of: .relationship(relationship)) })
    {
      try setToOne(object, relationship, nil)
    }
  }
}
