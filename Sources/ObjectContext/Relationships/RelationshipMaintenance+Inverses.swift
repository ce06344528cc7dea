import ObjectModel
import StoreContract

/// Maintenance of inverses after the stored rows of changed objects have changed.
extension RelationshipMaintenance {
  /// Replaces the row on which an object's changes are based.
  ///
  /// To-ones that this context set keep their destinations; the destinations in the new row drop
  /// their inverse. The delete rules of a deleted object are applied again.
  func rebase(_ object: ManagedObject, on node: IncrementalStoreNode) throws { try rebase([(object, node)]) }

  /// Replaces the rows on which the changes of several objects are based.
  ///
  /// The objects may refer to each other: all rows are replaced before any inverse is updated.
  func rebase(_ rows: [(object: ManagedObject, node: IncrementalStoreNode)]) throws {
    let former = rows.map(\.object.node)
    for (object, node) in rows { lay(node, beneath: object) }
    for ((object, _), old) in zip(rows, former) {
      try graph.withoutUndo { try maintainInverses(of: object, over: old) }
    }
    for (object, _) in rows where object.isDeleted { try deleteAgain(object) }
  }

  /// Rebases this context's changes on the rows that a batch wrote.
  ///
  /// A change that was based on the former row is a conflict when it is saved. This takes one
  /// statement for each root entity with changed objects.
  func rebaseAfterBatch() throws {
    let changed = (tracker.updated + tracker.deleted).filter {
      !$0.isInserted && !$0.state.contains(.deletedInStore)
    }
    var rows: [(object: ManagedObject, node: IncrementalStoreNode)] = []
    for (root, objects) in Dictionary(grouping: changed, by: \.entity.root) {
      for (object, row) in zip(objects, try source.newValues(for: objects.map(\.reference), of: root)) {
        if let row, let known = object.node, row.version != known.version { rows.append((object, row)) }
      }
    }
    let committed = rows.map { $0.object.changes?.committedRow ?? $0.object.node }
    try rebase(rows)
    for ((object, _), row) in zip(rows, committed) {
      object.knownChanges.committedRow = row
      notifications.record(.refreshed, object)
    }
    // A batch can set relationships of rows without changing the rows of their destinations.
    let seen = Set(rows.map { ObjectIdentifier($0.object) })
    for object in tracker.deleted where !seen.contains(ObjectIdentifier(object)) {
      object.changes?.refault()
      try deleteAgain(object)
    }
  }

  /// Turns a new object that was stored elsewhere first into an updated one.
  ///
  /// Its values become changes. The list of new objects may contain it until `tracker.sweep()`.
  func becomeStored(_ object: ManagedObject) {
    object.state = [.updated]
    for state in object.changes?.toManys ?? [] { state.becomeStored() }
    tracker.addUpdated(object)
  }

  /// Clears the stored to-ones of an object that was deleted elsewhere and stays for its changes.
  ///
  /// Only its changes refer to other objects then.
  func leaveStoredDestinations(_ object: ManagedObject) throws {
    guard let row = object.node else { return }
    let plan = plans[object.entity]
    let builder = NodeBuilder()
    builder.begin(fieldCount: plan.fields.count)
    for field in plan.fields.indices where plan.attributes[field] != nil {
      builder.copy(field, from: row, isBytes: plan.fields[field].isBytes)
    }
    object.knownChanges.committedRow = object.changes?.committedRow ?? row
    object.node = builder.finish(object.storeEntity, reference: row.reference, version: row.version)
    for (relationship, inverse) in object.entity.bidirectionalToOnes {
      guard let destination = row.reference(relationship.field) else { continue }
      let end = registry.object(relationship.destination, destination)
      if !inverse.isToMany { try dropSetBack(object, relationship, end, inverse, stored: destination) }
      if let end { renew(end, inverse) }
      if inverse.isToMany { try alignLists(of: object, relationship, inverse, before: destination) }
    }
    if object.reportsChanges { object.valuesDidChange(at: nil) }
  }

  /// Drops a one-to-one of an object that was deleted elsewhere if only one end has a value for it,
  /// which equals the former row.
  ///
  /// Undo can set such a value back at one end and drop the change of the other, which then has the
  /// destination in its new row.
  ///
  /// - `stored`: The destination in the former row; the object's row has none any more.
  private func dropSetBack(
    _ object: ManagedObject, _ relationship: RelationshipDescription, _ end: ManagedObject?,
    _ inverse: RelationshipDescription, stored: Int64
  ) throws {
    switch (object.changes?.value(relationship.index), end?.changes?.value(inverse.index)) {
    case (.reference(stored)?, nil):
      object.changes?.unset(relationship.index)
      object.changes = object.changes
    case (nil, .reference(object.reference)?):
      guard let end else { return }
      try graph.withoutUndo { try release(end, inverse) }
      notifications.record(.refreshed, end)
      if end.reportsChanges { end.valuesDidChange(at: inverse.index) }
    default: return
    }
  }

  /// Applies an object's delete rules again, for destinations that were added elsewhere.
  func deleteAgain(_ object: ManagedObject) throws {
    object.batch = nil
    try graph.asPartOfDeletion(of: object) {
      var cascaded: [ManagedObject] = []
      for relationship in object.entity.relationships {
        if relationship.isToMany, let inverse = relationship.inverse, !inverse.isToMany {
          for destination in try object.destinations(relationship) { try renew(destination, at: inverse) }
        }
        cascaded += try graph.deletion.applyDeleteRule(object, relationship)
      }
      try graph.deletion.delete(cascaded, callsHooks: true)
      try nullifyUnidirectional(to: [object])
    }
    if undoRecorder != nil { try graph.deletion.readWhole(object) }
  }

  /// Makes a destination in the store a fault, or locks it if its changes are based on a row that
  /// leads elsewhere.
  private func renew(_ destination: ManagedObject, at toOne: RelationshipDescription) throws {
    if !destination.hasChanges {
      graph.faulting.turnIntoFault(destination)
    } else if destination.isUpdated, destination.changes?.value(toOne.index) == nil {
      tracker.lock(destination)
    }
  }

  func lay(_ node: IncrementalStoreNode, beneath object: ManagedObject) {
    object.node = node
    object.changes?.committedRow = nil
    object.changes?.refault()
    if object.reportsChanges { object.valuesDidChange(at: nil) }
  }

  /// Makes an object's to-ones agree with their inverses after its row was replaced.
  func maintainInverses(of object: ManagedObject, over old: IncrementalStoreNode?) throws {
    guard let row = object.node else { return }
    for (relationship, inverse) in object.entity.bidirectionalToOnes {
      let (before, now) = (old?.reference(relationship.field), row.reference(relationship.field))
      if before != now {
        for reference in [before, now] {
          guard let end = reference.flatMap({ registry.object(relationship.destination, $0) }) else {
            continue
          }
          renew(end, inverse)
        }
      }
      if inverse.isToMany {
        try alignLists(of: object, relationship, inverse, before: before)
        continue
      }
      if let before, before != now { try maintainDestination(before, of: object, relationship, inverse) }
      guard let stored = now else { continue }
      if let value = object.changes?.value(relationship.index) {
        if value == .reference(stored) || before == stored { continue }
        let end = graph.faulting.materialize(stored, relationship.destination, nil)
        if try !end.isDeleted && exists(end) { try detach(object, from: end, inverse) }
      } else if let end = registry.object(relationship.destination, stored),
        let value = end.changes?.value(inverse.index), value != .reference(object.reference)
      {
        // This context gave the destination to another object.
        try assign(object, relationship, nil)
      }
    }
  }

  /// Makes both ends of a one-to-one lead to each other where a change of this context leads from
  /// one to the other.
  ///
  /// The stored row has another destination than `before` now. An object that is stored again leads
  /// to its former destination, which may lead back by its former row alone.
  private func maintainDestination(
    _ before: Int64, of object: ManagedObject, _ relationship: RelationshipDescription,
    _ inverse: RelationshipDescription
  ) throws {
    if object.isDeleted { return }
    let own = object.changes?.value(relationship.index)
    if own == .reference(before) {
      let end = graph.faulting.materialize(before, relationship.destination, nil)
      if try exists(end), !end.isDeleted { try claim(end, inverse, for: object, relationship) }
    } else if own == nil, let end = registry.object(relationship.destination, before), end.isInserted,
      end.changes?.value(inverse.index) == .reference(object.reference)
    {
      try claim(object, relationship, for: end, inverse)
    }
  }

  /// Updates the to-many inverses of a to-one that this context set, whatever is stored now.
  ///
  /// - `before`: The destination in the former row.
  func alignLists(
    of object: ManagedObject, _ relationship: RelationshipDescription, _ inverse: RelationshipDescription,
    before: Int64?
  ) throws {
    guard let value = object.changes?.value(relationship.index) else { return }
    let stored = object.isInserted ? nil : object.node?.reference(relationship.field)
    var here: Int64?
    if case .reference(let reference) = value { here = reference }
    for reference in Set([before, stored, here].compactMap { $0 }) {
      let (isHere, isStored) = (reference == here, reference == stored)
      if isHere == isStored {
        let end = registry.object(relationship.destination, reference)
        end?.changes?.knownToMany(inverse)?.align(object.reference, isHere: isHere, isStored: isStored)
        continue
      }
      let end = graph.faulting.materialize(reference, relationship.destination, nil)
      guard try exists(end) else { continue }
      end.toManyState(inverse).align(object.reference, isHere: isHere, isStored: isStored)
      tracker.recordUpdate(end)
      notifications.record(.updated, end)
      if end.reportsChanges { end.valuesDidChange(at: inverse.index) }
    }
  }

  /// Reverts a to-one to its stored destination, and updates the inverses of both destinations.
  func release(_ object: ManagedObject, _ relationship: RelationshipDescription) throws {
    guard object.changes?.value(relationship.index) != nil else { return }
    if object.isInserted { return try setToOne(object, relationship, nil) }
    let lost = try object.destination(relationship)
    object.changes?.unset(relationship.index)
    object.changes = object.changes
    guard let inverse = relationship.inverse, !inverse.isTransient else { return }
    let current = try object.destination(relationship)
    if lost === current { return }
    if let lost {
      if inverse.isToMany {
        lost.changes?.knownToMany(inverse)?.takeBack(object.reference)
      } else if try exists(lost), try lost.destination(inverse) === object {
        try assign(lost, inverse, nil)
      }
    }
    guard let current, try exists(current) else { return }
    if current.isDeleted {
      // This context has yet to save the destination's deletion, whose rule applies.
      if inverse.deleteRule.releasesDestinations { try assign(object, relationship, nil) }
      return
    }
    renew(current, inverse)
    if inverse.isToMany {
      current.changes?.knownToMany(inverse)?.takeBack(object.reference)
    } else {
      try claim(current, inverse, for: object, relationship)
    }
  }

  /// Sets a to-one to a destination whose inverse may have changed in the store.
  func point(_ object: ManagedObject, _ relationship: RelationshipDescription, to destination: ManagedObject?)
    throws
  {
    if let inverse = relationship.inverse, !inverse.isTransient {
      for end in [try object.destination(relationship), destination] {
        guard let end else { continue }
        // The save reports references to objects that do not exist.
        guard try exists(end) else {
          return object.setSlot(relationship.index, destination.map { .reference($0.reference) } ?? .null)
        }
        renew(end, inverse)
      }
    }
    try setToOne(object, relationship, destination)
  }

  /// Sets the inverses of an object that is stored again, for destinations that exist and are free.
  func relink(_ object: ManagedObject) throws {
    for (relationship, inverse) in object.entity.bidirectionalToOnes {
      guard let end = try object.destination(relationship), try exists(end) else { continue }
      if end === object {
        // The former row has the object at both ends, and a change may have replaced one of them.
        if !inverse.isToMany, try object.destination(inverse) !== object {
          try assign(object, relationship, nil)
        }
        continue
      }
      renew(end, inverse)
      if inverse.isToMany {
        try addDestination(object.reference, to: end, inverse)
      } else {
        try claim(end, inverse, for: object, relationship)
      }
    }
    for state in object.changes?.toManys ?? [] {
      guard let inverse = state.relationship.inverse, !state.relationship.isTransient else { continue }
      for reference in state.added where reference != object.reference {
        let end = graph.faulting.materialize(reference, state.relationship.destination, nil)
        let isThere = try !end.isDeleted && exists(end)
        if isThere { renew(end, inverse) }
        if isThere, inverse.isToMany {
          try addDestination(object.reference, to: end, inverse)
        } else if isThere, try end.destination(inverse) == nil {
          try assign(end, inverse, object)
        } else if try !isThere || end.destination(inverse) !== object {
          state.takeBack(reference)
        }
      }
    }
  }

  /// Sets the inverse of a one-to-one to an object, and clears it for the previous object.
  func claim(
    _ end: ManagedObject, _ inverse: RelationshipDescription, for object: ManagedObject,
    _ relationship: RelationshipDescription
  ) throws {
    let previous = try end.destination(inverse)
    if previous === object {
      // A changed object is not read again, so its row may be an old one; the save checks it.
      if end.hasChanges, !end.isInserted { tracker.lock(end) }
      return
    }
    if let previous, try exists(previous) { try detach(end, from: previous, relationship) }
    try assign(end, inverse, object)
  }

  /// Makes an unchanged destination, or its to-many inverse, a fault, so that it is read again.
  func renew(_ end: ManagedObject, _ inverse: RelationshipDescription) {
    if inverse.isToMany {
      end.changes?.knownToMany(inverse)?.refault()
    } else if !end.hasChanges, !end.isFault {
      graph.faulting.turnIntoFault(end)
      notifications.record(.refreshed, end)
    }
  }

  /// Whether an object is new or has a row.
  func exists(_ object: ManagedObject) throws -> Bool {
    do {
      if !object.isInserted { _ = try object.row() }
      return !object.state.contains(.deletedInStore)
    } catch let error as ContextError where error.code == .objectNotFound {
      return false
    }
  }

  /// Unchanged objects whose to-manys are inverses of changed to-ones and do not record the change.
  ///
  /// They were deleted and are stored again, and were not registered meanwhile.
  func unrecordedInverses(of objects: [ManagedObject]) -> [(
    id: ManagedObjectID, inverse: RelationshipDescription
  )] {
    var last: EntityDescription?
    var toOnes: [(RelationshipDescription, RelationshipDescription)] = []
    var result: [(id: ManagedObjectID, inverse: RelationshipDescription)] = []
    for object in objects {
      if last !== object.storeEntity.entity {
        last = object.storeEntity.entity
        toOnes = plans[object.entity].toOnesOfToManys
      }
      if toOnes.isEmpty { continue }
      guard let changes = object.changes else { continue }
      for (relationship, inverse) in toOnes {
        guard let value = changes.value(relationship.index) else { continue }
        if let old = object.node?.reference(relationship.field) { add(old, relationship) }
        if case .reference(let new) = value { add(new, relationship) }
        func add(_ reference: Int64, _ relationship: RelationshipDescription) {
          guard let end = registry.object(relationship.destination, reference),
            end.state.isDisjoint(with: [.inserted, .updated, .deleted, .deletedInStore])
          else { return }
          result.append((end.objectID, inverse))
        }
      }
    }
    return result
  }
}

extension EntityDescription {
  /// The stored to-ones with an inverse, each with its inverse.
  var bidirectionalToOnes: [(RelationshipDescription, RelationshipDescription)] {
    relationships.compactMap { relationship in
      guard !relationship.isToMany, relationship.field >= 0, let inverse = relationship.inverse,
        !inverse.isTransient
      else { return nil }
      return (relationship, inverse)
    }
  }
}
