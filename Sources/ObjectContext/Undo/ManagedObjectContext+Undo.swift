import ObjectModel
import StoreContract

extension ManagedObjectContext {
  /// Takes back the last group of changes that the undo manager recorded. What was saved meanwhile is changed again, and
  /// an object whose deletion was saved comes back under its ID. Does nothing without a manager or a group. What
  /// other contexts linked to an object while its deletion was unsaved is there again too. Fires objects that are faults, one
  /// statement a batch; one statement a root entity for deletions that were saved, of which others may have stored the object again.
  /// - Throws: when an object or a relationship cannot be read; what was not undone by then is undone by the next `undo()`.
  public func undo() throws { try revert(isRedo: false) }

  /// Does again what was undone last.
  /// - Throws: as `undo()`.
  public func redo() throws { try revert(isRedo: true) }

  private func revert(isRedo: Bool) throws {
    try mergeChanges()
    guard let undoManager else { return }
    var touched: [ManagedObject: SnapshotEvents] = [:]
    defer { endEvent() }
    try undoManager.run(isRedo: isRedo) { steps in
      defer {
        tidy(Array(touched.keys))
        if touched.values.contains(where: { $0.contains(.undoDeletion) }) { refaultRelationships() }
        for (object, events) in touched { object.awakeFromSnapshotEvents(events) }
      }
      let (rows, all) = (try rowsStoredAgain(steps), steps)
      while let step = steps.last {
        if let event = try perform(step, rows) { touched[step.object, default: []].insert(event) }
        steps.removeLast()
      }
      // Others may have linked to an object while its deletion was taken back.
      for object in tracker.deleted where touched[object] != nil && object.isDeleted {
        try deleteAgain(object)
      }
      let back = touched.filter { object, events in
        events.contains(.undoDeletion) && object.managedObjectContext === self && !object.isDeleted
      }
      for object in back.keys {
        try followDeletions(of: object)
        try alignInverses(of: object)
      }
      for step in all { try alignRelationship(of: step) { back[$0] != nil } }
      for (object, events) in touched where !events.isDisjoint(with: [.undoInsertion, .undoDeletion]) {
        try releaseOthers(object)
      }
    }
  }

  /// Whether changes are recorded, so that they can be taken back.
  var recordsUndo: Bool { undoManager?.isUndoRegistrationEnabled == true }

  func record(_ step: UndoStep, updating object: ManagedObject? = nil) {
    undoManager?.record(step)
    if let object { notifications.record(.updated, object) }
    notifications.scheduleEventEnd()
  }

  /// Runs a closure whose changes undo knows nothing of: what a merge does to keep both ends of relationships in step is no
  /// change of anybody, and its reverse may be one end only.
  func withoutUndo<Result>(_ body: () throws -> Result) rethrows -> Result {
    undoManager?.disableUndoRegistration()
    defer { undoManager?.enableUndoRegistration() }
    return try body()
  }

  /// Runs a closure whose changes are undone along with a deletion that was made before.
  func asPartOfDeletion(of object: ManagedObject, _ body: () throws -> Void) rethrows {
    guard let undoManager else { return try body() }
    try undoManager.recording(
      before: { if case .deleted(let one) = $0 { one === object } else { false } }, body)
  }

  /// A property index is about to be set.
  func willSet(_ object: ManagedObject, _ index: Int) {
    if let undoManager, undoManager.isUndoRegistrationEnabled {
      let old = (try? object.slotValue(object.entity.properties[index])) ?? .null
      undoManager.record(.set(object, index: index, old: old))
    }
    notifications.record(.updated, object)
    notifications.scheduleEventEnd()
  }

  /// Where a step put an object that is back into a to-many, or took it out, the object's own list decides: its deletion left that
  /// alone, and it has what others did to it since.
  private func alignRelationship(of step: UndoStep, where isBack: (ManagedObject) -> Bool) throws {
    let (end, relationship, destination): (ManagedObject, RelationshipDescription, Int64)
    switch step {
    case .added(let object, let toMany, let reference):
      (end, relationship, destination) = (object, toMany, reference)
    case .removed(let object, let toMany, let reference, _):
      (end, relationship, destination) = (object, toMany, reference)
    default: return
    }
    guard let inverse = relationship.inverse, inverse.isToMany, !inverse.isTransient,
      let object = registry.object(relationship.destination, destination), isBack(object), object !== end
    else { return }
    _ = try object.destinations(inverse)
    align(end, relationship, with: object, object.toManyState(inverse))
  }

  /// The same where its list leads: objects that came back with it were in no list while it was deleted, and no step tells of them.
  private func alignInverses(of object: ManagedObject) throws {
    for relationship in object.entity.relationships where relationship.isToMany && !relationship.isTransient {
      guard let inverse = relationship.inverse, inverse.isToMany else { continue }
      let destinations = try object.destinations(relationship).references
      let own = object.toManyState(relationship)
      for reference in destinations {
        guard let end = registry.object(relationship.destination, reference), end !== object else { continue }
        align(end, inverse, with: object, own)
      }
    }
  }

  /// An object that is back may list objects that lead elsewhere: what they led to was not back yet, or they were led away meanwhile.
  private func releaseOthers(_ object: ManagedObject) throws {
    guard object.managedObjectContext === self, !object.isDeleted else { return }
    for relationship in object.entity.relationships where relationship.isToMany && !relationship.isTransient {
      guard let inverse = relationship.inverse, !inverse.isToMany else { continue }
      for end in try object.destinations(relationship)
      where try isThere(end) && end.destination(inverse) !== object {
        try removeDestination(end.reference, from: object, relationship, isKnown: true)
      }
    }
  }

  private func align(
    _ end: ManagedObject, _ relationship: RelationshipDescription, with object: ManagedObject,
    _ own: ToManyState
  ) {
    let (isHere, isAdded) = (!own.lacks(end.reference), own.isAdded(end.reference))
    let isStored = isHere ? !isAdded : own.removed.contains(end.reference)
    end.changes?.knownToMany(relationship)?.align(object.reference, isHere: isHere, isStored: isStored)
  }

  /// The rows of objects that are to come back, where others have stored them again. One statement a root entity.
  private func rowsStoredAgain(_ steps: [UndoStep]) throws -> [ManagedObject: IncrementalStoreNode] {
    let objects = steps.compactMap { step -> ManagedObject? in
      guard case .deleted(let object) = step, object.managedObjectContext == nil, object.node != nil else {
        return nil
      }
      return object
    }
    var rows: [ManagedObject: IncrementalStoreNode] = [:]
    for (root, own) in Dictionary(grouping: objects, by: \.entity.root) {
      for (object, row) in zip(own, try source.newValues(for: own.map(\.reference), of: root)) {
        rows[object] = row
      }
    }
    return rows
  }

  /// Takes one step back; nil when its object is no longer here.
  private func perform(_ step: UndoStep, _ rows: [ManagedObject: IncrementalStoreNode]) throws
    -> SnapshotEvents?
  {
    let object = step.object
    switch step {
    case .set(_, let index, let old):
      guard try isUsable(object) else { return nil }
      try leaveDestination(object, object.entity.properties[index], unless: old)
      object.setSlot(index, try referencesDeleted(object, index, old) ? .null : old)
      if object.entity.properties[index].isStored { tracker.recordUpdate(object) }
      return .undoUpdate
    case .added(_, let relationship, let destination):
      guard try isUsable(object) else { return nil }
      try removeDestination(destination, from: object, relationship)
      return .undoUpdate
    case .removed(_, let relationship, let destination, let index):
      guard try isUsable(object), try !isDeletedInStore(destination, relationship.destination) else {
        return nil
      }
      try addDestination(destination, to: object, relationship, at: index)
      return .undoUpdate
    case .moved(_, let relationship, let destination, let place):
      guard try isUsable(object), try object.destinations(relationship).references.contains(destination)
      else {
        return nil
      }
      let last = object.toManyState(relationship).current.map { $0.count - 1 } ?? 0
      try move(destination, in: object, relationship, to: min(place, last))
      return .undoUpdate
    case .reordered(_, let relationship, let order):
      guard try isUsable(object) else { return nil }
      let present = Set(try object.destinations(relationship).references)
      let wanted = order.filter(present.contains)
      if wanted.count == present.count { try reorder(object, relationship, wanted) }
      return .undoUpdate
    case .inserted:
      guard object.managedObjectContext === self, !object.isDeleted else { return nil }
      if object.isInserted { takeBack(object) } else { try markDeleted(object) }
      return .undoInsertion
    case .tookBack:
      bringBack(object)
      return .undoInsertion
    case .deleted:
      undelete(object)
      if object.isInserted, let row = rows[object] {
        becomeStored(object)
        try rebase(object, on: row)
      }
      return .undoDeletion
    case .undeleted:
      guard object.managedObjectContext === self, !object.isDeleted else { return nil }
      if object.isInserted { takeBack(object) } else { try markDeleted(object) }
      return .undoDeletion
    }
  }

  /// What a merge has led an object to since knows of it no more. Everything else was told by the steps that come after this one.
  private func leaveDestination(
    _ object: ManagedObject, _ property: PropertyDescription, unless old: AttributeValue
  ) throws {
    guard case .relationship(let relationship) = property, let inverse = relationship.inverse,
      !inverse.isTransient, let destination = try object.destination(relationship),
      !destination.state.contains(.deletedInStore),
      old != .reference(destination.reference)
    else { return }
    if inverse.isToMany {
      if destination.changes?.knownToMany(inverse)?.lacks(object.reference) == true { return }
      if try isThere(destination) {
        try removeDestination(object.reference, from: destination, inverse, isKnown: true)
      }
    } else if try isThere(destination), try destination.destination(inverse) === object {
      try assign(destination, inverse, nil)
    }
  }

  private func referencesDeleted(_ object: ManagedObject, _ index: Int, _ value: AttributeValue) throws
    -> Bool
  {
    guard case .relationship(let relationship) = object.entity.properties[index],
      case .reference(let reference) = value
    else { return false }
    return try isDeletedInStore(reference, relationship.destination)
  }

  /// Whether others deleted an object, which nobody may have held meanwhile.
  private func isDeletedInStore(_ reference: Int64, _ destination: EntityDescription) throws -> Bool {
    try !isThere(materialize(reference, destination, nil))
  }

  private func isUsable(_ object: ManagedObject) throws -> Bool {
    guard object.managedObjectContext === self else { return false }
    return try isThere(object)
  }

  /// A new object goes away, and can be brought back.
  private func takeBack(_ object: ManagedObject) {
    dismiss(object)
    record(.tookBack(object))
    notifications.record(.deleted, object)
  }

  /// An object that was new when it went away is new again.
  private func bringBack(_ object: ManagedObject) {
    guard object.managedObjectContext == nil else { return }
    adopt(object, state: [.inserted])
    tracker.addInserted(object)
    record(.inserted(object))
    notifications.record(.inserted, object)
  }

  /// The next save removes the object, of which all is read before.
  private func markDeleted(_ object: ManagedObject) throws {
    guard try isThere(object) else { return }
    try readWhole(object)
    object.state.insert(.deleted)
    tracker.addDeleted(object)
    record(.deleted(object))
    notifications.record(.deleted, object)
  }

  /// Takes a deletion that was not saved back: the object stays, with the values it has now. What its delete rules emptied stays
  /// empty, and what they deleted along stays deleted. Does nothing for other objects. Issues no statement.
  package func insertAgain(_ object: ManagedObject) {
    guard object.isDeleted, object.managedObjectContext === self else { return }
    undelete(object)
    tracker.sweep()
  }

  /// The object stays; when its deletion was saved already, it is new again under the ID it had.
  private func undelete(_ object: ManagedObject) {
    if object.managedObjectContext === self {
      // Others deleted it too.
      if object.state.contains(.deletedInStore) { return }
      object.state.remove(.deleted)
      record(.undeleted(object))
      return notifications.record(.inserted, object)
    }
    guard object.managedObjectContext == nil, let row = object.node else { return }
    adopt(object, state: [.inserted])
    reinsert(object, over: row)
    record(.undeleted(object))
    notifications.record(.inserted, object)
  }

  private func adopt(_ object: ManagedObject, state: ManagedObject.State) {
    if let other = registry.object(object.entity, object.reference), other !== object { forget(other) }
    tracker.sweepInserted()
    object.state = state
    object.managedObjectContext = self
    registry.insert(object)
  }

  /// Makes an object whose row is gone a new one with the values it has. Its next version follows that of the row.
  func reinsert(_ object: ManagedObject, over row: IncrementalStoreNode) {
    let toManys = object.changes?.toManys ?? []
    let changes = ObjectChanges(defaultsOf: object.entity, isWatched: notifications.isWatched)
    for property in object.entity.properties {
      let value: AttributeValue
      if let changed = object.changes?.value(property.index) {
        value = changed
      } else if property.isStored, !row.isUnread(property) {
        value = row.value(of: property)
      } else {
        // Long bytes that nobody read went with the row.
        continue
      }
      changes.set(
        property.index, value, propertyCount: object.entity.propertyCount, isWatched: notifications.isWatched)
    }
    changes.adopt(toManys)
    object.changes = changes
    object.state = [.inserted]
    tracker.addInserted(object)
  }

  /// What is as it is stored again has no changes.
  private func tidy(_ objects: [ManagedObject]) {
    for object in objects where object.state == [.updated] && !object.hasPersistentChangedValues {
      if object.changes?.committedRow != nil {
        // The row beneath is another one than that which the values were set back to, and may lead to what is to be deleted.
        do { try withoutUndo { try drop(object) } } catch { recordFaultFailure(error) }
        object.changes?.committedRow = nil
        if object.hasPersistentChangedValues {
          tracker.recordUpdate(object)
          continue
        }
      }
      object.state.remove(.updated)
      object.changes?.settle(plans[object.entity].transientSlots)
      object.changes = object.changes
    }
    markDeferredDeleted()
    tracker.sweep()
  }
}
