import ObjectModel
import StoreContract

struct DeleteOperation: GraphOperation {
  let graph: ObjectGraph

  /// Deletes objects and the objects that their cascade rules delete.
  ///
  /// - `callsHooks`: Whether `prepareForDeletion()` is called.
  func delete(_ objects: [ManagedObject], callsHooks: Bool) throws {
    var waiting = Array(objects.reversed())
    var removed: [ManagedObject] = []
    var marked: [ManagedObject] = []
    defer {
      // The deletions are recorded after all relationship changes: undo restores the objects
      // before it restores their relationships.
      if notifications.isWatched { for object in marked { recordDeletion(of: object) } }
      unregister(removed)
    }
    do {
      while let next = waiting.popLast() {
        guard let along = try mark(next, callsHooks: callsHooks) else { continue }
        waiting += along
        if next.isInserted {
          next.state = [.deletedInStore]
          removed.append(next)
        } else {
          tracker.addDeleted(next)
        }
        marked.append(next)
        tracker.didReceiveChanges?()
      }
    } catch {
      // The objects that were deleted before the error stay deleted.
      try? graph.relationships.nullifyUnidirectional(to: marked)
      throw error
    }
    try graph.relationships.nullifyUnidirectional(to: marked)
  }

  /// Marks one object deleted and follows its delete rules.
  /// - Returns: The objects to delete along with it; nil when it was deleted already.
  private func mark(_ object: ManagedObject, callsHooks: Bool) throws -> [ManagedObject]? {
    if !object.state.isDisjoint(with: [.deleted, .deletedInStore]) { return nil }
    guard object.graph === graph else {
      throw ContextError(
        .objectOfAnotherContext, "a \(object.entity.name) of another context cannot be deleted here")
    }
    if callsHooks { object.prepareForDeletion() }
    if !object.isInserted { _ = try object.row() }
    // Firing the fault may have found that the row was deleted elsewhere.
    if object.state.contains(.deletedInStore) { return nil }
    if undoRecorder != nil { try readWhole(object) }
    object.state.insert(.deleted)
    do { return try object.entity.relationships.flatMap { try applyDeleteRule(object, $0) } } catch {
      // The object is not deleted then; relationships that were cleared before the error remain
      // changed.
      object.state.remove(.deleted)
      throw error
    }
  }

  /// Removes deleted new objects from the graph, since they were never stored.
  private func unregister(_ objects: [ManagedObject]) {
    tracker.removeInserted(objects.count)
    for object in objects { graph.discard(object) }
  }

  func recordDeletion(of object: ManagedObject) {
    graph.record(object.state.contains(.deletedInStore) ? .discarded(object) : .deleted(object))
    notifications.record(.deleted, object)
  }

  /// Reads the to-manys and external values, which undo cannot read after the deletion is saved.
  func readWhole(_ object: ManagedObject) throws {
    for relationship in object.entity.relationships where relationship.isToMany {
      _ = try object.destinations(relationship)
    }
    for attribute in object.entity.attributes where attribute.isExternal {
      _ = try object.slotValue(.attribute(attribute))
    }
  }

  /// Follows one delete rule.
  /// - Returns: The objects to delete along with the object.
  func applyDeleteRule(_ object: ManagedObject, _ relationship: RelationshipDescription) throws
    -> [ManagedObject]
  {
    // References to a new object were never stored, so every rule but cascade clears them.
    switch object.isInserted && relationship.deleteRule != .cascade ? .nullify : relationship.deleteRule {
    case .deny: return []
    case .noAction:
      try revertRelationship(of: object, relationship)
      return []
    case .cascade: return try destinationsToDelete(object, relationship)
    case .nullify:
      if relationship.isToMany {
        try nullifyToMany(object, relationship)
      } else {
        try graph.relationships.setToOne(object, relationship, nil)
      }
      return []
    }
  }

  private func destinationsToDelete(_ object: ManagedObject, _ relationship: RelationshipDescription) throws
    -> [ManagedObject]
  {
    guard relationship.isToMany else { return try object.destination(relationship).map { [$0] } ?? [] }
    let destinations = try object.destinations(relationship)
    guard let inverse = relationship.inverse, !inverse.isToMany else { return Array(destinations) }
    // A destination that belongs to another object by now is not deleted.
    return try destinations.filter { try $0.destination(inverse) === object }
  }

  private func nullifyToMany(_ object: ManagedObject, _ relationship: RelationshipDescription) throws {
    guard let inverse = relationship.inverse else { return }
    let destinations = try object.destinations(relationship)
    guard inverse.isToMany else {
      for destination in destinations where try destination.destination(inverse) === object {
        try graph.relationships.setToOne(destination, inverse, nil)
      }
      return
    }
    // Join table rows are deleted with the object's row, so only registered destinations with a
    // known to-many are updated. All destinations are updated if the inverse's count is validated
    // or if undo may have to restore it.
    let isCounted = inverse.minCount > 0 || !inverse.isOptional || undoRecorder != nil
    for (index, reference) in destinations.references.enumerated() {
      let known = isCounted ? destinations[index] : registry.object(relationship.destination, reference)
      guard let known, isCounted || known.changes?.knownToMany(inverse) != nil else { continue }
      try graph.relationships.removeDestination(object.reference, from: known, inverse)
    }
  }

  /// Removes destinations that were never stored, which even the rule no action does not retain.
  private func revertRelationship(of object: ManagedObject, _ relationship: RelationshipDescription) throws {
    guard relationship.inverse != nil, !relationship.isTransient else { return }
    if relationship.isToMany {
      for destination in Array(object.changes?.knownToMany(relationship)?.added ?? []) {
        guard let end = registry.object(relationship.destination, destination) else { continue }
        try graph.relationships.unlink(object, relationship, end)
      }
    } else if let value = object.changes?.value(relationship.index), value != .null,
      value != object.node.map({ $0.value(of: .relationship(relationship)) })
    {
      try graph.relationships.setToOne(object, relationship, nil)
    }
  }
}

extension ObjectGraph {
  var deletion: DeleteOperation { DeleteOperation(graph: self) }
}
