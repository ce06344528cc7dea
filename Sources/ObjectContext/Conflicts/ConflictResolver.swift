import ObjectModel
import StoreContract

/// Resolves conflicts with rows that were changed elsewhere, as the merge policy decides.
struct ConflictResolver: GraphOperation {
  let graph: ObjectGraph

  /// Resolves the conflicts for which the store refused a save, or throws.
  func resolve(_ error: StoreError) throws {
    switch error.code {
    case .notUnique: try resolveUniqueness(error)
    case .conflict: try resolveConflict(error)
    default: throw error
    }
  }

  private func resolveConflict(_ error: StoreError) throws {
    let stale = Set(error.objectIDs)
    var seen: Set<ObjectIdentifier> = []
    let objects = (tracker.inserted + tracker.updatedToSave + tracker.deleted + tracker.locked).filter {
      stale.contains($0.objectID) && seen.insert(ObjectIdentifier($0)).inserted
    }
    if objects.isEmpty { return try resolveMissingDestinations(stale, error) }
    var found: [(object: ManagedObject, row: IncrementalStoreNode?, conflict: MergeConflict)] = []
    var deletedTwice: [ManagedObject] = []
    for (root, own) in Dictionary(grouping: objects, by: \.entity.root) {
      for (object, row) in zip(
        own, try persistentStoreCoordinator.newValues(for: own.map(\.reference), of: root))
      {
        if object.isDeleted, row == nil {
          deletedTwice.append(object)
        } else {
          found.append((object, row, try conflict(object, row)))
        }
      }
    }
    let resolutions = try found.map { try mergePolicy.resolve($0.conflict) }
    if resolutions.contains(where: { if case .refuse = $0 { true } else { false } }) {
      throw ContextError(
        .conflict,
        "nothing was saved: \(found.count.counted("object", "was", "were")) changed or deleted elsewhere"
          + " since the context read them; refresh and save again, or choose a merge policy",
        conflicts: found.map(\.conflict), cause: error)
    }
    beginMerging()
    tracker.didChange()
    defer { tracker.sweep() }
    // Both sides deleted the object.
    for object in deletedTwice { graph.faulting.turnDeleted(object) }
    tracker.unlock { seen.contains(ObjectIdentifier($0)) }
    let hadDeletions = objects.contains(where: \.isDeleted)
    for (item, resolution) in zip(found, resolutions) {
      try graph.withoutUndo { try apply(resolution, to: item.object, item.row) }
      if item.object.state.contains(.deletedInStore) { continue }
      item.object.awakeFromSnapshotEvents(.mergePolicy)
      notifications.record(.refreshed, item.object)
    }
    if hadDeletions { graph.faulting.refaultRelationships() }
  }

  private func conflict(
    _ object: ManagedObject, _ row: IncrementalStoreNode?, missing: Set<ManagedObjectID> = []
  ) throws -> MergeConflict {
    let cached = object.changes?.committedRow ?? object.node
    return MergeConflict(
      objectID: object.objectID,
      objectSnapshot: row == nil && object.isFault ? [:] : try object.presentValues(),
      cachedSnapshot: cached?.values, persistedSnapshot: row?.values,
      cachedVersion: cached?.version ?? 0, persistedVersion: row?.version ?? 0,
      isDeletion: object.isDeleted, constraint: [], otherObjectID: nil, missingObjectIDs: missing)
  }

  private func apply(
    _ resolution: MergeResolution, to object: ManagedObject, _ row: IncrementalStoreNode?
  ) throws {
    guard let row else { return try applyToDeletedRow(resolution, object) }
    if object.isDeleted { return try applyToDeletion(resolution, object, row) }
    if object.isInserted { graph.relationships.becomeStored(object) }
    let (cached, shown) = (object.changes?.committedRow ?? object.node, object.node)
    graph.relationships.lay(row, beneath: object)
    switch resolution {
    case .mergeByPropertyObjectTrump, .refuse: break
    case .mergeByPropertyStoreTrump: try dropChangesOfStoredProperties(of: object, cached, row)
    case .overwrite:
      if let cached {
        try overwrite(row, with: cached, of: object)
        tracker.recordUpdate(object)
      }
    case .rollback: try graph.relationships.drop(object)
    case .values(let values):
      for property in object.entity.properties where property.isStored { try unset(property, of: object) }
      try set(values, on: object)
    }
    object.changes = object.changes
    try graph.relationships.maintainInverses(of: object, over: shown)
  }

  /// Resolves the deletion elsewhere of a changed object: the deletion wins, or the object is
  /// stored again.
  private func applyToDeletedRow(_ resolution: MergeResolution, _ object: ManagedObject) throws {
    switch resolution {
    case .mergeByPropertyObjectTrump, .overwrite, .values:
      // An object without changes, of which the save only checks the version, is not stored again.
      guard object.hasChanges, let old = object.changes?.committedRow ?? object.node else { break }
      let inRow = object.entity.relationships.filter {
        !$0.isToMany && $0.field >= 0 && object.changes?.value($0.index) == nil
      }
      graph.undoing.reinsert(object, over: old)
      for toOne in inRow { try leaveDeleted(toOne, of: object) }
      try graph.relationships.relink(object)
      if case .values(let values) = resolution { try set(values, on: object) }
      return
    default: break
    }
    try graph.relationships.drop(object)
    graph.faulting.turnDeleted(object)
  }

  /// Clears a to-one that only the deleted row had, and that leads to an object which is deleted, too.
  ///
  /// The rule no action of a to-one without an inverse leaves it.
  private func leaveDeleted(_ toOne: RelationshipDescription, of object: ManagedObject) throws {
    if toOne.inverse == nil, toOne.deleteRule == .noAction { return }
    guard let destination = try object.destination(toOne), destination !== object,
      try !graph.relationships.exists(destination)
    else { return }
    object.setSlot(toOne.index, .null)
  }

  /// Resolves a change elsewhere of a deleted object: the deletion stays, or the stored row wins.
  private func applyToDeletion(
    _ resolution: MergeResolution, _ object: ManagedObject, _ row: IncrementalStoreNode
  ) throws {
    switch resolution {
    case .mergeByPropertyObjectTrump, .overwrite: try graph.relationships.rebase(object, on: row)
    default:
      graph.relationships.lay(row, beneath: object)
      try graph.relationships.revertDeletion(of: object)
      if case .values(let values) = resolution { try set(values, on: object) }
    }
  }

  /// Discards the changes of properties that were changed elsewhere too, and every changed order.
  ///
  /// - `cached`: The row that the object's changes are based on.
  private func dropChangesOfStoredProperties(
    of object: ManagedObject, _ cached: IncrementalStoreNode?, _ row: IncrementalStoreNode
  ) throws {
    if let cached {
      for property in object.entity.properties where property.isStored {
        guard !row.isUnread(property), !cached.isUnread(property),
          row.value(of: property) != cached.value(of: property)
        else { continue }
        try unset(property, of: object)
      }
    }
    for state in object.changes?.toManys ?? [] where state.isReordered { state.forgetOrder() }
  }

  /// Sets the properties without changes to their cached values, so that the whole object is saved
  /// as this context has it.
  private func overwrite(
    _ row: IncrementalStoreNode, with cached: IncrementalStoreNode, of object: ManagedObject
  ) throws {
    for property in object.entity.properties
    where property.isStored && object.changes?.value(property.index) == nil {
      switch property {
      case .attribute(let attribute):
        if attribute.derivation != nil || attribute.isExternal && cached.isUnread(attribute.field) {
          continue
        }
        object.setSlot(property.index, cached.value(of: property))
      case .relationship(let relationship):
        if relationship.isToMany || cached.value(of: property) == row.value(of: property) { continue }
        let destination = cached.reference(relationship.field)
        try graph.relationships.point(
          object, relationship,
          to: destination.map { graph.faulting.materialize($0, relationship.destination, nil) })
      }
    }
  }

  /// Reverts a property to its stored value.
  func unset(_ property: PropertyDescription, of object: ManagedObject) throws {
    if case .relationship(let relationship) = property, !relationship.isToMany {
      try graph.relationships.release(object, relationship)
    } else {
      object.changes?.unset(property.index)
    }
  }

  func set(_ values: [String: AttributeValue], on object: ManagedObject) throws {
    for (name, value) in values {
      switch object.entity.property(named: name) {
      case .attribute?: try object.setValue(value, forKey: name)
      case .relationship(let relationship)? where !relationship.isToMany:
        var destination: ManagedObject?
        if case .reference(let reference) = value {
          destination = graph.faulting.materialize(reference, relationship.destination, nil)
        }
        try graph.relationships.point(object, relationship, to: destination)
      default: throw ContextError(.unknownKey, "\(object.entity.name) has no attribute or to-one \(name)")
      }
    }
  }

  /// Resolves the deletion elsewhere of objects that changed objects reference.
  ///
  /// If the store wins, these references are dropped; otherwise the method throws.
  private func resolveMissingDestinations(_ missing: Set<ManagedObjectID>, _ error: StoreError) throws {
    var found: [(object: ManagedObject, conflict: MergeConflict)] = []
    for object in tracker.inserted + tracker.updatedToSave
    where object.entity.relationships.contains(where: { references(missing, object, $0) }) {
      found.append((object, try conflict(object, object.node, missing: missing)))
    }
    let resolutions = try found.map { try mergePolicy.resolve($0.conflict) }
    guard !found.isEmpty, resolutions.allSatisfy(\.storeWins) else {
      throw ContextError(
        .conflict,
        "nothing was saved: \(missing.count) referenced objects were deleted elsewhere; remove or replace"
          + " the references",
        conflicts: found.map(\.conflict), cause: error)
    }
    beginMerging()
    for (object, _) in found { try dropReferences(to: missing, of: object) }
    for id in missing {
      if let object = graph.registeredObject(for: id), !object.state.contains(.deletedInStore) {
        graph.faulting.turnDeleted(object)
      }
    }
    tracker.sweep()
  }

  private func dropReferences(to missing: Set<ManagedObjectID>, of object: ManagedObject) throws {
    for relationship in object.entity.relationships where references(missing, object, relationship) {
      guard relationship.isToMany else {
        object.setSlot(relationship.index, .null)
        continue
      }
      for reference in object.changes?.knownToMany(relationship)?.added ?? []
      where isMissing(reference, relationship, missing) {
        try graph.relationships.removeDestination(reference, from: object, relationship)
      }
    }
  }

  private func isMissing(
    _ reference: Int64, _ relationship: RelationshipDescription, _ missing: Set<ManagedObjectID>
  )
    -> Bool
  {
    missing.contains(ManagedObjectID(storeEntities[relationship.destination.index], reference: reference))
  }

  private func references(
    _ missing: Set<ManagedObjectID>, _ object: ManagedObject, _ relationship: RelationshipDescription
  )
    -> Bool
  {
    if relationship.isToMany {
      return object.changes?.knownToMany(relationship)?.added.contains {
        isMissing($0, relationship, missing)
      } ?? false
    }
    guard case .reference(let reference)? = object.changes?.value(relationship.index) else { return false }
    return isMissing(reference, relationship, missing)
  }
}

extension ManagedObject {
  /// The current values of attributes and to-ones.
  func presentValues() throws -> [String: AttributeValue] {
    var result: [String: AttributeValue] = [:]
    for property in entity.properties where property.isStored {
      // External values that were not read yet are not read for this.
      if changes?.value(property.index) == nil, node?.isUnread(property) == true { continue }
      result[property.name] = try slotValue(property)
    }
    return result
  }
}

extension IncrementalStoreNode {
  /// Attributes and to-ones by name, without external values that were not read with the row.
  var values: [String: AttributeValue] {
    var result: [String: AttributeValue] = [:]
    for property in entity.properties where property.isStored && !isUnread(property) {
      result[property.name] = value(of: property)
    }
    return result
  }

  /// Whether a property is an external value that was not read with the row.
  func isUnread(_ property: PropertyDescription) -> Bool {
    guard case .attribute(let attribute) = property, attribute.isExternal, attribute.field >= 0 else {
      return false
    }
    return isUnread(attribute.field)
  }
}

extension ObjectGraph {
  var conflicts: ConflictResolver { ConflictResolver(graph: self) }
}
