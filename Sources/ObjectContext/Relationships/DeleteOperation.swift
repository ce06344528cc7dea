import ObjectModel
import StoreContract

struct DeleteOperation: GraphOperation {
  let graph: ObjectGraph

  /// Deletes objects and what their delete rules delete with them.
  ///
  /// - `callsHooks`: Whether `prepareForDeletion()` is called.
  func delete(_ objects: [ManagedObject], callsHooks: Bool) throws {
    var waiting = Array(objects.reversed())
    var removed: [ManagedObject] = []
    var marked: [ManagedObject] = []
    defer {
      // After everything that empties relationships: an undo brings the objects back before it
      // fills these.
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
      // Those deleted before the error stay deleted.
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
    // Firing the fault may have found that others deleted its row.
    if object.state.contains(.deletedInStore) { return nil }
    if undoRecorder != nil { try readWhole(object) }
    object.state.insert(.deleted)
    do { return try object.entity.relationships.flatMap { try propagate(object, $0) } } catch {
      // It is not deleted then; relationships that were emptied before the error stay among the
      // changes.
      object.state.remove(.deleted)
      throw error
    }
  }

  /// New objects that were deleted were never there.
  private func unregister(_ objects: [ManagedObject]) {
    tracker.removeInserted(objects.count)
    for object in objects { graph.dismiss(object) }
  }

  func recordDeletion(of object: ManagedObject) {
    graph.record(object.state.contains(.deletedInStore) ? .tookBack(object) : .deleted(object))
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

  /// Follows one delete rule.
  /// - Returns: The objects to delete along with the object.
  func propagate(_ object: ManagedObject, _ relationship: RelationshipDescription) throws -> [ManagedObject] {
    // References to a new object were never stored, so no rule keeps them.
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
    // A destination that was given to another object since is not deleted.
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
    // Join table rows are deleted with the object's row. Only destinations that are registered with
    // changes have to know, and those that are counted or may have to be restored.
    let isCounted = inverse.minCount > 0 || !inverse.isOptional || undoRecorder != nil
    for (index, reference) in destinations.references.enumerated() {
      let known = isCounted ? destinations[index] : registry.object(relationship.destination, reference)
      guard let known, isCounted || known.changes?.knownToMany(inverse) != nil else { continue }
      try graph.relationships.removeDestination(object.reference, from: known, inverse)
    }
  }

  /// Links that were never stored do not outlive an object, not even where the rule is to do
  /// nothing.
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
