import ObjectModel
import StoreContract

/// Unsaved deletions that are reverted: by a refresh, and where a conflict is resolved against them.
///
/// Undo restores objects itself, since it also brings back what a saved deletion removed.
extension RelationshipMaintenance {
  /// Reverts the unsaved deletion of an object and the effects of its delete rules.
  ///
  /// Objects that were changed otherwise since then retain those changes. This takes one statement
  /// for each to-many.
  func revertDeletion(of first: ManagedObject) throws {
    var waiting = [first]
    while let object = waiting.popLast() {
      guard object.state.contains(.deleted), !object.state.contains(.deletedInStore) else { continue }
      object.state.remove(.deleted)
      for relationship in object.entity.relationships where !relationship.isTransient {
        for reference in try storedDestinations(object, relationship) {
          guard let end = registry.object(relationship.destination, reference), end !== object else {
            continue
          }
          if relationship.deleteRule == .cascade, end.isDeleted { waiting.append(end) }
          guard let inverse = relationship.inverse, !end.isDeleted else { continue }
          if inverse.isToMany {
            end.changes?.knownToMany(inverse)?.takeBack(object.reference)
          } else if end.changes?.value(inverse.index) == .null {
            try release(end, inverse)
          }
        }
      }
      try restoreUnidirectional(to: object)
      try drop(object)
      // Other objects may have taken its destinations since.
      try maintainInverses(of: object, over: object.row())
      try followDeletions(of: object)
      notifications.record(.inserted, object)
    }
  }

  /// Clears the to-ones of a restored object whose destinations this context still deletes.
  func followDeletions(of object: ManagedObject) throws {
    for (relationship, inverse) in object.entity.bidirectionalToOnes
    where inverse.deleteRule.releasesDestinations {
      guard let end = try object.destination(relationship), end.isDeleted,
        !end.state.contains(.deletedInStore)
      else {
        continue
      }
      try graph.asPartOfDeletion(of: end) { try assign(object, relationship, nil) }
    }
  }

  private func storedDestinations(_ object: ManagedObject, _ relationship: RelationshipDescription) throws
    -> [Int64]
  {
    if !relationship.isToMany { return try object.row().reference(relationship.field).map { [$0] } ?? [] }
    return try persistentStoreCoordinator.newValues(for: relationship, of: [object.reference]).references
  }

  /// Discards an object's changes, and retains its row.
  ///
  /// A to-many whose inverse is a to-one is the value of other objects and stays as they have it.
  func drop(_ object: ManagedObject) throws {
    for property in object.entity.properties {
      guard case .relationship(let relationship) = property else {
        object.changes?.unset(property.index)
        continue
      }
      if relationship.isTransient { continue }
      if !relationship.isToMany {
        try release(object, relationship)
      } else if let state = object.changes?.knownToMany(relationship), state.hasChanges {
        guard let inverse = relationship.inverse, !inverse.isToMany else {
          for destination in state.added + state.removed {
            guard let inverse = relationship.inverse else { break }
            let end = registry.object(relationship.destination, destination)
            end?.changes?.knownToMany(inverse)?.takeBack(object.reference)
          }
          state.takeBack()
          continue
        }
        state.forgetOrder()
      }
    }
    object.changes = object.changes
    if !object.hasPersistentChangedValues { object.state.remove(.updated) }
  }
}

extension DeleteRule {
  /// Whether an object that stays while this rule's object is deleted no longer refers to it.
  ///
  /// A cascade can spare a destination: its own deletion was reverted.
  var releasesDestinations: Bool { self == .nullify || self == .cascade }
}
