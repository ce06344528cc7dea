import ObjectModel
import StoreContract

/// Changes to a relationship together with its inverse.
struct RelationshipMaintenance: GraphOperation {
  let graph: ObjectGraph

  func setToOne(
    _ object: ManagedObject, _ relationship: RelationshipDescription, _ destination: ManagedObject?
  ) throws {
    let old = try object.destination(relationship)
    if old === destination { return }
    let inverse = relationship.inverse
    // The old destination is detached before the new one is set: an object may refer to itself.
    if let old, let inverse { try detach(object, from: old, inverse) }
    try assign(object, relationship, destination)
    guard let destination, let inverse else { return }
    if inverse.isToMany {
      // The to-one had another destination, so the to-many does not contain this object.
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
    let isThere = state.isLoaded ? nil : has(destination, relationship.inverse, object)
    // What was read of the one end may be older than what was read of the other.
    if isThere == true { try graph.faulting.load(state, of: object) }
    let isAdded = try addDestination(
      destination.reference, to: object, relationship, state: state, isKnown: isThere == false)
    if !isAdded { return }
    if let inverse = relationship.inverse, inverse !== relationship || object !== destination {
      // A fully loaded to-many proves that the inverse does not contain this object, so the store
      // is not asked.
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
    let isThere = has(destination, relationship.inverse, object)
    // As in `link`: where the ends disagree, the one that has the link is right to lose it.
    if !state.isLoaded, isThere == false, !destination.isInserted {
      try graph.faulting.load(state, of: object)
    }
    let isLost = state.lacks(destination.reference)
    if isLost, isThere != true { return }
    if isLost { state.refault() }
    try removeDestination(destination.reference, from: object, relationship, isKnown: isThere == true)
    if let inverse = relationship.inverse, inverse !== relationship || object !== destination {
      if isThere == false { destination.changes?.knownToMany(inverse)?.refault() }
      try removeDestination(
        object.reference, from: destination, inverse, isKnown: isThere == true || state.isLoaded)
    }
  }

  /// Whether an object's to-many contains another object; nil if the to-many is not loaded.
  ///
  /// A new object's relationships are always fully known.
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
  /// A to-one with another destination in memory is not changed; the save checks its row's version.
  func detach(_ object: ManagedObject, from other: ManagedObject, _ inverse: RelationshipDescription) throws {
    if inverse.isToMany {
      try removeDestination(object.reference, from: other, inverse, isKnown: true)
    } else if try other.destination(inverse) === object {
      try assign(other, inverse, nil)
    } else if !other.isInserted, !other.state.contains(.deletedInStore) {
      tracker.lock(other)
    }
  }

  /// Sets a to-one without its inverse.
  ///
  /// The row is read first: otherwise the save could not detect that it was changed elsewhere.
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
