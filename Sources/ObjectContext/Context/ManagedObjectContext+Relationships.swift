import ObjectModel
import StoreContract

/// Upkeep of both ends of a relationship at once.
extension ManagedObjectContext {
  func setToOne(_ object: ManagedObject, _ relationship: Relationship, _ target: ManagedObject?) throws {
    let old = try object.target(relationship)
    if old === target { return }
    assign(object, relationship, target)
    guard let inverse = relationship.inverse else { return }
    if let old { detach(object, from: old, inverse) }
    guard let target else { return }
    if inverse.isToMany {
      // Where this object led was known, and it was elsewhere.
      target.toManyState(inverse).add(new: object.reference)
      noteUpdated(target)
    } else {
      if let previous = try target.target(inverse), previous !== object {
        assign(previous, relationship, nil)
      }
      assign(target, inverse, object)
    }
  }

  func link(_ object: ManagedObject, _ relationship: Relationship, _ target: ManagedObject) throws {
    if let inverse = relationship.inverse, !inverse.isToMany {
      if try target.target(inverse) === object { return }
      return try setToOne(target, inverse, object)
    }
    let state = object.toManyState(relationship)
    guard state.add(target.reference) else { return }
    noteUpdated(object)
    if let inverse = relationship.inverse, inverse !== relationship || object !== target {
      if state.isLoaded {
        target.toManyState(inverse).add(new: object.reference)
      } else {
        target.toManyState(inverse).add(object.reference)
      }
      noteUpdated(target)
    }
  }

  func unlink(_ object: ManagedObject, _ relationship: Relationship, _ target: ManagedObject) throws {
    if let inverse = relationship.inverse, !inverse.isToMany {
      if try target.target(inverse) === object { try setToOne(target, inverse, nil) }
      return
    }
    object.toManyState(relationship).remove(target.reference)
    noteUpdated(object)
    if let inverse = relationship.inverse { detach(object, from: target, inverse) }
  }

  /// Takes `object` out of the relationship of `other` that is the inverse of the one being changed.
  func detach(_ object: ManagedObject, from other: ManagedObject, _ inverse: Relationship) {
    if inverse.isToMany {
      other.toManyState(inverse).remove(object.reference)
      noteUpdated(other)
    } else {
      assign(other, inverse, nil)
    }
  }

  private func assign(_ object: ManagedObject, _ relationship: Relationship, _ target: ManagedObject?) {
    object.setSlot(relationship.slot, target.map { .reference($0.reference) } ?? .null)
    noteUpdated(object)
  }
}
