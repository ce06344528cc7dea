import ObjectModel
import StoreContract

/// Keeping both ends of relationships in step where what is stored has changed beneath what was changed here.
extension ManagedObjectContext {
  /// Puts another row beneath an object's changes. What its to-ones were set to here stays, and what they lead to in
  /// the row instead leads back no more. The rules of a deletion are followed anew.
  func rebase(_ object: ManagedObject, on node: IncrementalStoreNode) throws {
    let old = object.node
    lay(node, beneath: object)
    try withoutUndo { try keepEnds(of: object, over: old) }
    if object.isDeleted { try deleteAgain(object) }
  }

  /// What others linked to an object that is to be deleted here has to know too.
  private func deleteAgain(_ object: ManagedObject) throws {
    object.batch = nil
    var cascaded: [ManagedObject] = []
    for relationship in object.entity.relationships {
      if relationship.isToMany, relationship.inverse?.isToMany == false {
        for target in try object.targets(relationship) where !target.hasChanges { turnIntoFault(target) }
      }
      cascaded += try propagate(object, relationship)
    }
    try delete(cascaded, isTelling: true)
    try emptyOneWay(to: [object])
    if undoManager != nil { try readWhole(object) }
  }

  func lay(_ node: IncrementalStoreNode, beneath object: ManagedObject) {
    object.node = node
    object.changes?.refault()
    if object.tellsOfChanges { object.valuesDidChange(at: nil) }
  }

  /// Settles to-ones that both sides set, once the new row lies beneath the object.
  func keepEnds(of object: ManagedObject, over old: IncrementalStoreNode?) throws {
    guard let row = object.node else { return }
    for (relationship, inverse) in object.entity.twoWayToOnes {
      let (before, now) = (old?.target(relationship.field), row.target(relationship.field))
      if before != now {
        for reference in [before, now] {
          guard let end = reference.flatMap({ registered(relationship.destination, $0) }) else { continue }
          renew(end, inverse)
        }
      }
      guard let stored = now else { continue }
      if let value = object.changes?.value(relationship.slot) {
        if value == .reference(stored) || before == stored { continue }
        let end = materialize(stored, relationship.destination, nil)
        if try !end.isDeleted && isThere(end) { try detach(object, from: end, inverse) }
      } else if !inverse.isToMany, let end = registered(relationship.destination, stored),
        let value = end.changes?.value(inverse.slot), value != .reference(object.reference)
      {
        // The end was given to another object here.
        try assign(object, relationship, nil)
      }
    }
  }

  /// Gives a to-one back what is stored, and has both other ends follow.
  func release(_ object: ManagedObject, _ relationship: Relationship) throws {
    guard object.changes?.value(relationship.slot) != nil else { return }
    if object.isInserted { return try setToOne(object, relationship, nil) }
    let lost = try object.target(relationship)
    object.changes?.unset(relationship.slot)
    object.changes = object.changes
    guard let inverse = relationship.inverse, !inverse.isTransient else { return }
    let kept = try object.target(relationship)
    if lost === kept { return }
    if let lost {
      if inverse.isToMany {
        lost.changes?.knownToMany(inverse)?.takeBack(object.reference)
      } else if try isThere(lost), try lost.target(inverse) === object {
        try assign(lost, inverse, nil)
      }
    }
    guard let kept, !kept.isDeleted, try isThere(kept) else { return }
    renew(kept, inverse)
    if inverse.isToMany {
      kept.changes?.knownToMany(inverse)?.takeBack(object.reference)
    } else {
      try claim(kept, inverse, for: object, relationship)
    }
  }

  /// Gives a to-one another target, whose other end may have changed in the store.
  func lead(_ object: ManagedObject, _ relationship: Relationship, to target: ManagedObject?) throws {
    if let inverse = relationship.inverse, !inverse.isTransient {
      for end in [try object.target(relationship), target] {
        guard let end else { continue }
        // Whoever leads to what is gone is told by the save.
        guard try isThere(end) else {
          return object.setSlot(relationship.slot, target.map { .reference($0.reference) } ?? .null)
        }
        renew(end, inverse)
      }
    }
    try setToOne(object, relationship, target)
  }

  /// Links an object that is stored anew with all that it leads to, so far as that is there and free.
  func relink(_ object: ManagedObject) throws {
    for (relationship, inverse) in object.entity.twoWayToOnes {
      guard let end = try object.target(relationship), end !== object, try isThere(end) else { continue }
      renew(end, inverse)
      if inverse.isToMany {
        try addTarget(object.reference, to: end, inverse)
      } else {
        try claim(end, inverse, for: object, relationship)
      }
    }
    for state in object.changes?.toManys ?? [] {
      guard let inverse = state.relationship.inverse, !state.relationship.isTransient else { continue }
      for reference in state.added where reference != object.reference {
        let end = materialize(reference, state.relationship.destination, nil)
        let isThere = try !end.isDeleted && isThere(end)
        if isThere { renew(end, inverse) }
        if isThere, inverse.isToMany {
          try addTarget(object.reference, to: end, inverse)
        } else if isThere, try end.target(inverse) == nil {
          try assign(end, inverse, object)
        } else if try !isThere || end.target(inverse) !== object {
          state.takeBack(reference)
        }
      }
    }
  }

  /// Has one end of a one-to-one lead to an object, which another one loses.
  private func claim(
    _ end: ManagedObject, _ inverse: Relationship, for object: ManagedObject, _ relationship: Relationship
  ) throws {
    let previous = try end.target(inverse)
    if previous === object { return }
    if let previous, try isThere(previous) { try detach(end, from: previous, relationship) }
    try assign(end, inverse, object)
  }

  /// What was read of an end that others may have changed is read again.
  private func renew(_ end: ManagedObject, _ inverse: Relationship) {
    if inverse.isToMany {
      end.changes?.knownToMany(inverse)?.refault()
    } else if !end.hasChanges, !end.isFault {
      turnIntoFault(end)
      noteChange(.refreshed, end)
    }
  }

  /// Whether an object is new or has a row.
  package func isThere(_ object: ManagedObject) throws -> Bool {
    do {
      if !object.isInserted { _ = try object.row() }
      return !object.state.contains(.gone)
    } catch let error as ContextError where error.code == .objectGone {
      return false
    }
  }

  /// Objects whose to-manys changes of others lead to or from without their having noted it: they were deleted and are stored
  /// again, and nobody held them meanwhile.
  func unnotedEnds(of objects: [ManagedObject]) -> [(id: ManagedObjectID, inverse: Relationship)] {
    var known: [Entity: [(Relationship, Relationship)]] = [:]
    var result: [(id: ManagedObjectID, inverse: Relationship)] = []
    for object in objects {
      guard let changes = object.changes else { continue }
      let toOnes =
        known[object.entity] ?? object.entity.twoWayToOnes.filter { $0.1.isToMany }
      known[object.entity] = toOnes
      for (relationship, inverse) in toOnes {
        guard let value = changes.value(relationship.slot) else { continue }
        var ends = [object.node?.target(relationship.field)]
        if case .reference(let reference) = value { ends.append(reference) }
        for reference in ends {
          guard let reference, let end = registered(relationship.destination, reference),
            end.state.isDisjoint(with: [.inserted, .updated, .deleted, .gone])
          else { continue }
          result.append((end.objectID, inverse))
        }
      }
    }
    return result
  }

  // MARK: Deletions taken back

  /// An object stays that was to be deleted, and so does all that its delete rules did to others, as far as nothing else
  /// was done to those since. One statement a to-many.
  func takeBackDeletion(of first: ManagedObject) throws {
    var waiting = [first]
    while let object = waiting.popLast() {
      guard object.state.contains(.deleted), !object.state.contains(.gone) else { continue }
      object.state.remove(.deleted)
      for relationship in object.entity.relationships where !relationship.isTransient {
        for reference in try storedTargets(object, relationship) {
          guard let end = registered(relationship.destination, reference), end !== object else { continue }
          if relationship.deleteRule == .cascade, end.isDeleted { waiting.append(end) }
          guard let inverse = relationship.inverse, !end.isDeleted else { continue }
          if inverse.isToMany {
            end.changes?.knownToMany(inverse)?.takeBack(object.reference)
          } else if end.changes?.value(inverse.slot) == .null {
            try release(end, inverse)
          }
        }
      }
      try restoreOneWay(to: object)
      try drop(object)
      noteChange(.inserted, object)
    }
  }

  private func storedTargets(_ object: ManagedObject, _ relationship: Relationship) throws -> [Int64] {
    if !relationship.isToMany { return try object.row().target(relationship.field).map { [$0] } ?? [] }
    return try coordinator.newValues(for: relationship, of: [object.reference]).references
  }

  /// Forgets an object's changes, and the row beneath stays. Links that are other objects' values stay as those are.
  func drop(_ object: ManagedObject) throws {
    for property in object.entity.properties {
      guard case .relationship(let relationship) = property else {
        object.changes?.unset(property.slot)
        continue
      }
      if relationship.isTransient { continue }
      if !relationship.isToMany {
        try release(object, relationship)
      } else if let state = object.changes?.knownToMany(relationship), state.hasChanges {
        guard let inverse = relationship.inverse, !inverse.isToMany else {
          for target in state.added + state.removed {
            guard let inverse = relationship.inverse else { break }
            let end = registered(relationship.destination, target)
            end?.changes?.knownToMany(inverse)?.takeBack(object.reference)
          }
          state.takeBack()
          continue
        }
        state.forgetOrder()
      }
    }
    object.changes = object.changes
    if object.changes?.toManys.contains(where: \.hasChanges) != true { object.state.remove(.updated) }
  }
}

extension Entity {
  /// The stored to-ones with an inverse, and that.
  fileprivate var twoWayToOnes: [(Relationship, Relationship)] {
    relationships.compactMap { relationship in
      guard !relationship.isToMany, relationship.field >= 0, let inverse = relationship.inverse,
        !inverse.isTransient
      else { return nil }
      return (relationship, inverse)
    }
  }
}
