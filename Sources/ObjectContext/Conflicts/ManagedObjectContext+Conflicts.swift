import ObjectModel
import StoreContract

/// Rows that were changed elsewhere since they were read, as the merge policy decides.
extension ManagedObjectContext {
  /// Makes a save that the store refused possible, or throws.
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
        "nothing was saved: \(found.count) objects were changed or deleted elsewhere since they were read; refresh"
          + " them and save again, or choose a merge policy", conflicts: found.map(\.conflict), cause: error)
    }
    beginMerging()
    tracker.didChange()
    defer { tracker.sweep() }
    // Both sides want the same.
    for object in deletedTwice { turnDeleted(object) }
    tracker.unlock { seen.contains(ObjectIdentifier($0)) }
    let hadDeletions = objects.contains(where: \.isDeleted)
    for (item, resolution) in zip(found, resolutions) {
      try withoutUndo { try apply(resolution, to: item.object, item.row) }
      if item.object.state.contains(.deletedInStore) { continue }
      item.object.awakeFromSnapshotEvents(.mergePolicy)
      notifications.record(.refreshed, item.object)
    }
    if hadDeletions { refaultRelationships() }
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
    guard let row else {
      // The store's deletion wins, or the object is to be there again.
      switch resolution {
      case .mergeByPropertyObjectTrump, .overwrite, .values:
        // What was only to be looked at is not brought back.
        guard object.hasChanges, let old = object.changes?.committedRow ?? object.node else { break }
        reinsert(object, over: old)
        try relink(object)
        if case .values(let values) = resolution { try set(values, on: object) }
        return
      default: break
      }
      try drop(object)
      turnDeleted(object)
      return
    }
    if object.isDeleted {
      switch resolution {
      case .mergeByPropertyObjectTrump, .overwrite:
        try rebase(object, on: row)
      default:
        // The store's row wins.
        lay(row, beneath: object)
        try takeBackDeletion(of: object)
        if case .values(let values) = resolution { try set(values, on: object) }
      }
      return
    }
    if object.isInserted {
      becomeStored(object)
    }
    let (cached, shown) = (object.changes?.committedRow ?? object.node, object.node)
    lay(row, beneath: object)
    switch resolution {
    case .mergeByPropertyObjectTrump, .refuse: break
    case .mergeByPropertyStoreTrump:
      for property in object.entity.properties where property.isStored && cached != nil {
        guard let cached, !row.isUnread(property), !cached.isUnread(property),
          row.value(of: property) != cached.value(of: property)
        else { continue }
        try giveBack(property, of: object)
      }
      for state in object.changes?.toManys ?? [] where state.isReordered { state.forgetOrder() }
    case .overwrite:
      guard let cached else { break }
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
          try point(
            object, relationship, to: destination.map { materialize($0, relationship.destination, nil) })
        }
      }
      tracker.recordUpdate(object)
    case .rollback: try drop(object)
    case .values(let values):
      for property in object.entity.properties where property.isStored { try giveBack(property, of: object) }
      try set(values, on: object)
    }
    object.changes = object.changes
    try maintainInverses(of: object, over: shown)
  }

  /// Leaves a property as it is stored.
  func giveBack(_ property: PropertyDescription, of object: ManagedObject) throws {
    if case .relationship(let relationship) = property, !relationship.isToMany {
      try release(object, relationship)
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
          destination = materialize(reference, relationship.destination, nil)
        }
        try point(object, relationship, to: destination)
      default: throw ContextError(.unknownKey, "\(object.entity.name) has no attribute or to-one \(name)")
      }
    }
  }

  /// Objects that others were to refer to were deleted elsewhere. Where the store wins, nothing leads to them any more.
  private func resolveMissingDestinations(_ missing: Set<ManagedObjectID>, _ error: StoreError) throws {
    var found: [(object: ManagedObject, conflict: MergeConflict)] = []
    for object in tracker.inserted + tracker.updatedToSave {
      let leads = object.entity.relationships.contains { references(missing, object, $0) }
      if leads { found.append((object, try conflict(object, object.node, missing: missing))) }
    }
    let resolutions = try found.map { try mergePolicy.resolve($0.conflict) }
    let storeWins = resolutions.allSatisfy {
      switch $0 {
      case .mergeByPropertyStoreTrump, .rollback: true
      default: false
      }
    }
    guard storeWins, !found.isEmpty else {
      throw ContextError(
        .conflict,
        "nothing was saved: \(missing.count) objects that others are to refer to were deleted elsewhere; choose others",
        conflicts: found.map(\.conflict), cause: error)
    }
    beginMerging()
    for (object, _) in found {
      for relationship in object.entity.relationships where references(missing, object, relationship) {
        if relationship.isToMany {
          for reference in object.changes?.knownToMany(relationship)?.added ?? []
          where isMissing(reference, relationship, missing) {
            try removeDestination(reference, from: object, relationship)
          }
        } else {
          object.setSlot(relationship.index, .null)
        }
      }
    }
    for id in missing {
      if let object = registeredObject(for: id), !object.state.contains(.deletedInStore) {
        turnDeleted(object)
      }
    }
    tracker.sweep()
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
  /// Attributes and to-ones as they are now.
  func presentValues() throws -> [String: AttributeValue] {
    var result: [String: AttributeValue] = [:]
    for property in entity.properties where property.isStored {
      // Bytes that nobody read are not read for this.
      if changes?.value(property.index) == nil, node?.isUnread(property) == true { continue }
      result[property.name] = try slotValue(property)
    }
    return result
  }
}

extension IncrementalStoreNode {
  /// Attributes and to-ones by name; without bytes that were left out of the row.
  var values: [String: AttributeValue] {
    var result: [String: AttributeValue] = [:]
    for property in entity.properties where property.isStored && !isUnread(property) {
      result[property.name] = value(of: property)
    }
    return result
  }

  /// Whether a property's bytes were left out of the row.
  func isUnread(_ property: PropertyDescription) -> Bool {
    guard case .attribute(let attribute) = property, attribute.isExternal, attribute.field >= 0 else {
      return false
    }
    return isUnread(attribute.field)
  }
}
