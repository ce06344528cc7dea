import ObjectModel
import StoreContract

/// Upkeep of both ends of a relationship at once.
extension ManagedObjectContext {
  func setToOne(_ object: ManagedObject, _ relationship: Relationship, _ target: ManagedObject?) throws {
    let old = try object.target(relationship)
    if old === target { return }
    let inverse = relationship.inverse
    // Before the new one is in place: an object may lead to itself.
    if let old, let inverse { try detach(object, from: old, inverse) }
    try assign(object, relationship, target)
    guard let target, let inverse else { return }
    if inverse.isToMany {
      // Where this object led was known, and it was elsewhere.
      try addTarget(object.reference, to: target, inverse, isNew: true)
    } else {
      if let previous = try target.target(inverse), previous !== object {
        try detach(target, from: previous, relationship)
      }
      try assign(target, inverse, object)
    }
  }

  func link(_ object: ManagedObject, _ relationship: Relationship, _ target: ManagedObject) throws {
    if let inverse = relationship.inverse, !inverse.isToMany {
      if try target.target(inverse) === object { return }
      return try setToOne(target, inverse, object)
    }
    let state = object.toManyState(relationship)
    let isKnown = !state.isLoaded && has(target, relationship.inverse, object) == false
    guard try addTarget(target.reference, to: object, relationship, isKnown: isKnown) else { return }
    if let inverse = relationship.inverse, inverse !== relationship || object !== target {
      // What knows all its own targets knows that the other end has it not.
      try addTarget(object.reference, to: target, inverse, isNew: state.isLoaded)
    }
  }

  func unlink(_ object: ManagedObject, _ relationship: Relationship, _ target: ManagedObject) throws {
    if let inverse = relationship.inverse, !inverse.isToMany {
      if try target.target(inverse) === object { try setToOne(target, inverse, nil) }
      return
    }
    let state = object.toManyState(relationship)
    let isKnown = !state.isLoaded && has(target, relationship.inverse, object) == true
    try removeTarget(target.reference, from: object, relationship, isKnown: isKnown)
    if let inverse = relationship.inverse, inverse !== relationship || object !== target {
      try removeTarget(object.reference, from: target, inverse, isKnown: state.isLoaded)
    }
  }

  /// Whether an object leads to another; nil when it does not know. Nothing leads to what is new but by what is known.
  private func has(_ object: ManagedObject, _ inverse: Relationship?, _ other: ManagedObject) -> Bool? {
    guard let inverse else { return object.isInserted ? false : nil }
    guard let state = object.changes?.knownToMany(inverse), state.isLoaded else {
      return object.isInserted ? false : nil
    }
    return !state.lacks(other.reference)
  }

  /// Takes `object` out of the relationship of `other` that is the inverse of the one being changed. A to-one that is
  /// thought to lead elsewhere is left alone, and the save looks whether it does.
  func detach(_ object: ManagedObject, from other: ManagedObject, _ inverse: Relationship) throws {
    if inverse.isToMany {
      try removeTarget(object.reference, from: other, inverse, isKnown: true)
    } else if try other.target(inverse) === object {
      try assign(other, inverse, nil)
    } else if !other.isInserted, !other.state.contains(.gone) {
      lockedList.append(other)
    }
  }

  /// One end only. The row is read before, or the save could not tell whether somebody else changed it meanwhile.
  func assign(_ object: ManagedObject, _ relationship: Relationship, _ target: ManagedObject?) throws {
    try object.readRow()
    object.setSlot(relationship.slot, target.map { .reference($0.reference) } ?? .null)
    noteUpdated(object)
  }
}
