import ObjectModel
import StoreContract

/// Both ends of the one-to-ones that a save changes.
///
/// A context may have read two rows at different times, so that one end seems to need no change. A
/// save checks only the rows that it writes or locks, so it writes or locks both ends.
extension RelationshipMaintenance {
  /// Completes each one-to-one that the next save changes at one end.
  ///
  /// This takes a statement for each end that is a fault; none while the rows that the context has
  /// belong together.
  func completeOneToOnes() throws {
    guard plans.hasOneToOnes else { return }
    try graph.withoutUndo {
      try alignLocked()
      for object in tracker.inserted { try completeOneToOnes(of: object) }
      var place = 0
      while place < tracker.updated.count {
        try completeOneToOnes(of: tracker.updated[place])
        place += 1
      }
      for object in tracker.deleted where !object.state.contains(.deletedInStore) {
        try completeDeletion(of: object)
      }
    }
  }

  /// Makes the to-ones of locked objects agree with the changes of other objects.
  ///
  /// An object is locked because its row does not lead to an object whose row leads to it. A fetch
  /// may have replaced its row since then by one that does.
  private func alignLocked() throws {
    var place = 0
    while place < tracker.locked.count {
      let object = tracker.locked[place]
      place += 1
      guard object.graph === graph, !object.hasChanges, try exists(object) else { continue }
      try maintainInverses(of: object, over: object.row())
    }
  }

  private func completeDeletion(of object: ManagedObject) throws {
    for (relationship, inverse) in object.entity.bidirectionalToOnes
    where !inverse.isToMany && relationship.deleteRule != .noAction {
      guard let stored = object.node?.reference(relationship.field) else { continue }
      try completeDeparture(of: object, from: stored, relationship, inverse)
    }
  }

  private func completeOneToOnes(of object: ManagedObject) throws {
    let own = plans[object.entity].oneToOnes
    guard !own.isEmpty, !object.isDeleted, let changes = object.changes else { return }
    for index in own {
      guard let value = changes.value(index),
        case .relationship(let relationship) = object.entity.properties[index],
        let inverse = relationship.inverse
      else { continue }
      let stored = object.isInserted ? nil : object.node?.reference(relationship.field)
      var new: Int64?
      if case .reference(let reference) = value { new = reference }
      if stored == new { continue }
      if let stored { try completeDeparture(of: object, from: stored, relationship, inverse) }
      if let new { try completeArrival(of: object, at: new, relationship, inverse) }
    }
  }

  /// The stored destination no longer leads to the object, or is locked.
  private func completeDeparture(
    of object: ManagedObject, from stored: Int64, _ relationship: RelationshipDescription,
    _ inverse: RelationshipDescription
  ) throws {
    let end = graph.faulting.materialize(stored, relationship.destination, nil)
    guard end !== object, !end.isDeleted, end.changes?.value(inverse.index) == nil, try exists(end) else {
      return
    }
    if try end.destination(inverse) === object {
      try assign(end, inverse, nil)
    } else {
      tracker.lock(end)
    }
  }

  /// The new destination leads to the object, or is locked.
  private func completeArrival(
    of object: ManagedObject, at new: Int64, _ relationship: RelationshipDescription,
    _ inverse: RelationshipDescription
  ) throws {
    let end = graph.faulting.materialize(new, relationship.destination, nil)
    guard end !== object, !end.isDeleted, end.changes?.value(inverse.index) != .reference(object.reference),
      try exists(end)
    else { return }
    if try end.destination(inverse) !== object {
      try claim(end, inverse, for: object, relationship)
    } else if !end.isInserted {
      tracker.lock(end)
    }
  }
}
