import ObjectModel
import StoreContract

/// Keeping both ends of relationships in step where what is stored has changed beneath what was
/// changed here.
extension RelationshipMaintenance {
  /// Puts another row beneath an object's changes.
  ///
  /// What its to-ones were set to here stays, and what they lead to in the row instead leads back
  /// no more. The rules of a deletion are followed anew.
  func rebase(_ object: ManagedObject, on node: IncrementalStoreNode) throws { try rebase([(object, node)]) }

  /// The same for objects that lead to each other: every row lies in its place before any end
  /// follows.
  func rebase(_ rows: [(object: ManagedObject, node: IncrementalStoreNode)]) throws {
    let former = rows.map(\.object.node)
    for (object, node) in rows { lay(node, beneath: object) }
    for ((object, _), old) in zip(rows, former) {
      try graph.withoutUndo { try maintainInverses(of: object, over: old) }
    }
    for (object, _) in rows where object.isDeleted { try deleteAgain(object) }
  }

  /// Puts the rows that a batch has written beneath the changes of this context.
  ///
  /// What was changed upon another row is a conflict when it is saved. One statement a root entity
  /// with changed objects.
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
    // A batch links rows without a change of those they lead to.
    let seen = Set(rows.map { ObjectIdentifier($0.object) })
    for object in tracker.deleted where !seen.contains(ObjectIdentifier(object)) {
      object.changes?.refault()
      try deleteAgain(object)
    }
  }

  /// An object was to be stored anew, and others did so first: what it has are changes now.
  ///
  /// It may stand in the list of new objects still: `tracker.sweep()`.
  func becomeStored(_ object: ManagedObject) {
    object.state = [.updated]
    for state in object.changes?.toManys ?? [] { state.becomeStored() }
    tracker.addUpdated(object)
  }

  /// What others deleted, and stays for its changes, leads nowhere but by those.
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
      if let end = registry.object(relationship.destination, destination) { renew(end, inverse) }
      if inverse.isToMany { try alignLists(of: object, relationship, inverse, before: destination) }
    }
    if object.reportsChanges { object.valuesDidChange(at: nil) }
  }

  /// What others linked to an object that is to be deleted here has to know too.
  func deleteAgain(_ object: ManagedObject) throws {
    object.batch = nil
    try graph.asPartOfDeletion(of: object) {
      var cascaded: [ManagedObject] = []
      for relationship in object.entity.relationships {
        if relationship.isToMany, relationship.inverse?.isToMany == false {
          for destination in try object.destinations(relationship) where !destination.hasChanges {
            graph.faulting.turnIntoFault(destination)
          }
        }
        cascaded += try graph.deletion.propagate(object, relationship)
      }
      try graph.deletion.delete(cascaded, callsHooks: true)
      try nullifyUnidirectional(to: [object])
    }
    if undoRecorder != nil { try graph.deletion.readWhole(object) }
  }

  func lay(_ node: IncrementalStoreNode, beneath object: ManagedObject) {
    object.node = node
    object.changes?.committedRow = nil
    object.changes?.refault()
    if object.reportsChanges { object.valuesDidChange(at: nil) }
  }

  /// Settles to-ones that both sides set, once the new row lies beneath the object.
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
        // The end was given to another object here.
        try assign(object, relationship, nil)
      }
    }
  }

  /// Where a one-to-one was set here to what was stored, its other end still leads back once others
  /// have led it elsewhere.
  private func maintainDestination(
    _ before: Int64, of object: ManagedObject, _ relationship: RelationshipDescription,
    _ inverse: RelationshipDescription
  ) throws {
    guard object.changes?.value(relationship.index) == .reference(before), !object.isDeleted else { return }
    let end = graph.faulting.materialize(before, relationship.destination, nil)
    if try exists(end), !end.isDeleted { try claim(end, inverse, for: object, relationship) }
  }

  /// Has the lists at the other ends of a to-one that was set here lead back, or no more, whatever
  /// is stored now.
  ///
  /// - `before`: Where the row beneath led before.
  private func alignLists(
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

  /// Gives a to-one back what is stored, and has both other ends follow.
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
      // The rule of its deletion, which this context has still to save.
      if inverse.deleteRule == .nullify { try assign(object, relationship, nil) }
      return
    }
    renew(current, inverse)
    if inverse.isToMany {
      current.changes?.knownToMany(inverse)?.takeBack(object.reference)
    } else {
      try claim(current, inverse, for: object, relationship)
    }
  }

  /// Gives a to-one another destination, whose other end may have changed in the store.
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

  /// Links an object that is stored anew with all that it leads to, so far as that is there and
  /// free.
  func relink(_ object: ManagedObject) throws {
    for (relationship, inverse) in object.entity.bidirectionalToOnes {
      guard let end = try object.destination(relationship), end !== object, try exists(end) else { continue }
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

  /// Has one end of a one-to-one lead to an object, which another one loses.
  private func claim(
    _ end: ManagedObject, _ inverse: RelationshipDescription, for object: ManagedObject,
    _ relationship: RelationshipDescription
  ) throws {
    let previous = try end.destination(inverse)
    if previous === object { return }
    if let previous, try exists(previous) { try detach(end, from: previous, relationship) }
    try assign(end, inverse, object)
  }

  /// What was read of an end that others may have changed is read again.
  private func renew(_ end: ManagedObject, _ inverse: RelationshipDescription) {
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

  /// Objects whose to-manys are the inverses of changes, and do not have them: they were deleted and
  /// are stored again, and were not registered meanwhile.
  func unrecordedInverses(of objects: [ManagedObject]) -> [(
    id: ManagedObjectID, inverse: RelationshipDescription
  )] {
    var known: [EntityDescription: [(RelationshipDescription, RelationshipDescription)]] = [:]
    var result: [(id: ManagedObjectID, inverse: RelationshipDescription)] = []
    for object in objects {
      guard let changes = object.changes else { continue }
      let toOnes =
        known[object.entity] ?? object.entity.bidirectionalToOnes.filter { $0.1.isToMany }
      known[object.entity] = toOnes
      for (relationship, inverse) in toOnes {
        guard let value = changes.value(relationship.index) else { continue }
        var ends = [object.node?.reference(relationship.field)]
        if case .reference(let reference) = value { ends.append(reference) }
        for reference in ends {
          guard let reference, let end = registry.object(relationship.destination, reference),
            end.state.isDisjoint(with: [.inserted, .updated, .deleted, .deletedInStore])
          else { continue }
          result.append((end.objectID, inverse))
        }
      }
    }
    return result
  }
}

extension EntityDescription {
  /// The stored to-ones with an inverse, and that.
  var bidirectionalToOnes: [(RelationshipDescription, RelationshipDescription)] {
    relationships.compactMap { relationship in
      guard !relationship.isToMany, relationship.field >= 0, let inverse = relationship.inverse,
        !inverse.isTransient
      else { return nil }
      return (relationship, inverse)
    }
  }
}
