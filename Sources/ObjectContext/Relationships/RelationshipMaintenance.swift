import ObjectModel
import StoreContract

/// Upkeep of both ends of a relationship at once.
struct RelationshipMaintenance: GraphOperation {
  let graph: ObjectGraph

  func setToOne(
    _ object: ManagedObject, _ relationship: RelationshipDescription, _ destination: ManagedObject?
  ) throws {
    let old = try object.destination(relationship)
    if old === destination { return }
    let inverse = relationship.inverse
    // Before the new one is in place: an object may lead to itself.
    if let old, let inverse { try detach(object, from: old, inverse) }
    try assign(object, relationship, destination)
    guard let destination, let inverse else { return }
    if inverse.isToMany {
      // Where this object led was known, and it was elsewhere.
      try addDestination(object.reference, to: destination, inverse, isNew: true)
    } else {
      if let previous = try destination.destination(inverse), previous !== object {
        try detach(destination, from: previous, relationship)
      }
      try assign(destination, inverse, object)
    }
  }

  func link(_ object: ManagedObject, _ relationship: RelationshipDescription, _ destination: ManagedObject)
    throws
  {
    if let inverse = relationship.inverse, !inverse.isToMany {
      if try destination.destination(inverse) === object { return }
      return try setToOne(destination, inverse, object)
    }
    let state = object.toManyState(relationship)
    let isKnown = !state.isLoaded && has(destination, relationship.inverse, object) == false
    guard try addDestination(destination.reference, to: object, relationship, isKnown: isKnown) else {
      return
    }
    if let inverse = relationship.inverse, inverse !== relationship || object !== destination {
      // What knows all its own destinations knows that the other end has it not.
      try addDestination(object.reference, to: destination, inverse, isNew: state.isLoaded)
    }
  }

  func unlink(_ object: ManagedObject, _ relationship: RelationshipDescription, _ destination: ManagedObject)
    throws
  {
    if let inverse = relationship.inverse, !inverse.isToMany {
      if try destination.destination(inverse) === object { try setToOne(destination, inverse, nil) }
      return
    }
    let state = object.toManyState(relationship)
    let isKnown = !state.isLoaded && has(destination, relationship.inverse, object) == true
    try removeDestination(destination.reference, from: object, relationship, isKnown: isKnown)
    if let inverse = relationship.inverse, inverse !== relationship || object !== destination {
      try removeDestination(object.reference, from: destination, inverse, isKnown: state.isLoaded)
    }
  }

  /// Whether an object leads to another; nil when it does not know.
  ///
  /// Nothing leads to what is new but by what is known.
  private func has(_ object: ManagedObject, _ inverse: RelationshipDescription?, _ other: ManagedObject)
    -> Bool?
  {
    guard let inverse else { return object.isInserted ? false : nil }
    guard let state = object.changes?.knownToMany(inverse), state.isLoaded else {
      return object.isInserted ? false : nil
    }
    return !state.lacks(other.reference)
  }

  /// Takes `object` out of the relationship of `other` that is the inverse of the one being
  /// changed.
  ///
  /// A to-one that is thought to lead elsewhere is left alone, and the save looks whether it does.
  func detach(_ object: ManagedObject, from other: ManagedObject, _ inverse: RelationshipDescription) throws {
    if inverse.isToMany {
      try removeDestination(object.reference, from: other, inverse, isKnown: true)
    } else if try other.destination(inverse) === object {
      try assign(other, inverse, nil)
    } else if !other.isInserted, !other.state.contains(.deletedInStore) {
      tracker.lock(other)
    }
  }

  /// One end only.
  ///
  /// The row is read before, or the save could not tell whether somebody else changed it meanwhile.
  func assign(_ object: ManagedObject, _ relationship: RelationshipDescription, _ destination: ManagedObject?)
    throws
  {
    try object.readRow()
    object.setSlot(relationship.index, destination.map { .reference($0.reference) } ?? .null)
    tracker.recordUpdate(object)
  }
}

extension ObjectGraph {
  var relationships: RelationshipMaintenance { RelationshipMaintenance(graph: self) }
}
