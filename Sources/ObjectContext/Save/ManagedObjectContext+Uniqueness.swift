import ObjectModel
import ObjectQuery
import StoreContract

/// Objects that have the same values where a uniqueness constraint forbids it, as the merge policy decides.
extension ManagedObjectContext {
  /// Two objects, of which one has to give way.
  private struct Pair {
    let object: ManagedObject
    /// The one that has the values already: stored, or new before the other.
    let holder: ManagedObject
    /// Whether nobody had the holder before this search.
    let isHolderFresh: Bool
    let constraint: UniquenessConstraint
  }

  /// Which objects became others, by root entity; applied to relationships that do not hear of it by an inverse.
  private struct Successors {
    private(set) var byRoot: [Entity: [Int64: Int64]] = [:]

    mutating func add(_ old: Int64, of entity: Entity, _ new: Int64) {
      byRoot[entity.root, default: [:]][old] = new
    }

    /// What an object is in the end; nil when it is itself.
    func callAsFunction(_ reference: Int64, of entity: Entity) -> Int64? {
      guard let own = byRoot[entity.root], var last = own[reference] else { return nil }
      while let next = own[last] { last = next }
      return last
    }

    func apply(to object: ManagedObject) {
      if byRoot.isEmpty { return }
      for relationship in object.entity.relationships where relationship.inverse == nil {
        let destination = relationship.destination
        if relationship.isToMany {
          object.changes?.knownToMany(relationship)?.rename { self($0, of: destination) }
        } else if case .reference(let old)? = object.changes?.value(relationship.slot),
          let new = self(old, of: destination)
        {
          object.setSlot(relationship.slot, .reference(new))
        }
      }
    }
  }

  func resolveUniqueness(_ error: StoreError) throws {
    let pairs = try pairs()
    let conflicts = try pairs.map(conflict)
    let resolutions = try conflicts.map { try mergePolicy.resolve($0) }
    func refused() -> ContextError {
      let names = Set(
        pairs.map { "\($0.object.entity.name).\($0.constraint.propertyNames.joined(separator: ","))" })
      let shown =
        names.isEmpty ? error.message : "others have the same \(names.sorted().joined(separator: "; "))"
      return ContextError(
        .notUnique, "nothing was saved: \(shown); change them, delete the others, or choose a merge policy",
        conflicts: conflicts, cause: error)
    }
    if pairs.isEmpty { throw refused() }
    for (pair, resolution) in zip(pairs, resolutions) {
      switch resolution {
      case .refuse: throw refused()
      case .mergeByPropertyObjectTrump, .overwrite, .values:
        // Of two stored objects none may vanish unasked.
        if !pair.object.isInserted { throw refused() }
      default: break
      }
    }
    beginMerging()
    generation += 1
    // What was done to new objects that become stored ones cannot be taken back.
    undoManager?.forget(
      Set(pairs.filter { $0.object.isInserted && $0.isHolderFresh }.map { ObjectIdentifier($0.object) }))
    var successors = Successors()
    defer {
      sweepLists()
      for object in insertedList + updatedList { successors.apply(to: object) }
      for (root, own) in successors.byRoot {
        let new = own.keys.map { successors($0, of: root) ?? $0 }
        undoManager?.rename(RenamedReferences(Array(own.keys), new), root: root)
        merging?.successors[root, default: [:]].merge(zip(own.keys, new)) { $1 }
      }
    }
    for (pair, resolution) in zip(pairs, resolutions) where pair.object.managedObjectContext === self {
      if pair.object.isInserted {
        // Another new object may have taken the holder's place just now.
        let isThere = pair.holder.managedObjectContext === self
        let holder = isThere ? pair.holder : registered(pair.holder.entity, pair.holder.reference)
        guard let holder else { throw refused() }
        try merge(
          pair.object, into: holder, isFresh: isThere && pair.isHolderFresh, resolution, &successors)
      } else {
        try revert(pair, resolution)
      }
    }
  }

  /// One statement for each constraint of the entities concerned, and a hundred of its values if it has several
  /// properties.
  private func pairs() throws -> [Pair] {
    var result: [Pair] = []
    var seen: Set<ObjectIdentifier> = []
    for (entity, constraint, objects) in try concerned() {
      let properties = constraint.propertyNames.compactMap { entity.property(named: $0) }
      var holders: [[AttributeValue]: ManagedObject] = [:]
      var waiting: [([AttributeValue], ManagedObject)] = []
      var fresh: Set<ObjectIdentifier> = []
      for object in objects {
        let key = try properties.map { try object.slotValue($0) }
        if !key.contains(.null) { waiting.append((key, object)) }
      }
      for node in try stored(entity, properties, waiting.map(\.0)) {
        let known = registered(node.entity, node.reference)
        let object = known ?? make(node.storeEntity, node.reference, node, nil)
        if known == nil { fresh.insert(ObjectIdentifier(object)) } else { adopt(node, object) }
        if object.isDeleted { continue }
        let key = try properties.map { try object.slotValue($0) }
        holders[key] = object
      }
      // Stored objects come before new ones.
      for (key, object) in waiting.filter({ !$0.1.isInserted }) + waiting.filter({ $0.1.isInserted }) {
        guard let holder = holders[key] else {
          holders[key] = object
          continue
        }
        if holder === object || !object.hasChanges { continue }
        if seen.insert(ObjectIdentifier(object)).inserted {
          let isFresh = fresh.remove(ObjectIdentifier(holder)) != nil
          result.append(
            Pair(object: object, holder: holder, isHolderFresh: isFresh, constraint: constraint))
        }
      }
    }
    return result
  }

  /// Every constraint with the entity that has it first, and the new and changed objects that it binds.
  private func concerned() throws -> [(Entity, UniquenessConstraint, [ManagedObject])] {
    var result: [(Entity, UniquenessConstraint, [ManagedObject])] = []
    for object in insertedList + updatedToSave {
      for constraint in object.entity.uniquenessConstraints {
        var entity = object.entity
        while let above = entity.superentity, above.uniquenessConstraints.contains(constraint) {
          entity = above
        }
        if let place = result.firstIndex(where: { $0.0 === entity && $0.1 == constraint }) {
          result[place].2.append(object)
        } else {
          result.append((entity, constraint, [object]))
        }
      }
    }
    return result
  }

  /// The stored rows that have one of the values.
  private func stored(
    _ entity: Entity, _ properties: [Property], _ keys: [[AttributeValue]]
  ) throws -> [IncrementalStoreNode] {
    let keys = Array(Set(keys))
    if keys.isEmpty { return [] }
    var predicates: [FetchPredicate] = []
    if properties.count == 1 {
      let values = keys.map { FetchExpression.value($0[0]) }
      predicates = [.comparison(FetchComparison(.keyPath([properties[0].name]), .in, .list(values)))]
    } else {
      for start in stride(from: 0, to: keys.count, by: 100) {
        predicates.append(
          .or(
            keys[start..<min(start + 100, keys.count)].map { key in
              .and(
                zip(properties, key).map { property, value in
                  .comparison(FetchComparison(.keyPath([property.name]), .equal, .value(value)))
                })
            }))
      }
    }
    return try predicates.flatMap { predicate -> [IncrementalStoreNode] in
      guard
        case .nodes(let nodes) = try coordinator.fetch(
          FetchRequest(entity.name, where: predicate), lookup: nil)
      else { return [] }
      return nodes
    }
  }

  private func conflict(_ pair: Pair) throws -> MergeConflict {
    MergeConflict(
      objectID: pair.object.objectID, objectSnapshot: try pair.object.presentValues(),
      cachedSnapshot: pair.object.isInserted ? nil : try pair.object.committedValues(),
      persistedSnapshot: try pair.holder.presentValues(), cachedVersion: pair.object.node?.version ?? 0,
      persistedVersion: pair.holder.node?.version ?? 0, isDeletion: false,
      constraint: pair.constraint.propertyNames, otherObjectID: pair.holder.objectID)
  }

  /// A changed stored object gets back what it was stored with.
  private func revert(_ pair: Pair, _ resolution: MergeResolution) throws {
    let object = pair.object
    if case .rollback = resolution {
      try drop(object)
    } else {
      for property in object.entity.properties where pair.constraint.propertyNames.contains(property.name) {
        try giveBack(property, of: object)
      }
    }
    object.changes = object.changes
    object.awakeFromSnapshotEvents(.mergePolicy)
    noteChange(.refreshed, object)
  }

  /// A new object becomes one with another: its values and relationships go over, and it is gone. Where nobody has the
  /// other, the new object takes its place instead.
  private func merge(
    _ object: ManagedObject, into stored: ManagedObject, isFresh: Bool, _ resolution: MergeResolution,
    _ successors: inout Successors
  ) throws {
    successors.apply(to: object)
    var holder = stored
    let values = try wanted(of: object, over: holder, resolution)
    var toOnes: [(Relationship, ManagedObject, place: Int?)] = []
    var toManys: [(Relationship, [(ManagedObject, place: Int?)])] = []
    for relationship in object.entity.relationships where !relationship.isTransient {
      if relationship.isToMany {
        let targets = Array(try object.targets(relationship))
        if targets.isEmpty { continue }
        toManys.append(
          (relationship, try targets.map { ($0, try place(of: object, in: $0, relationship.inverse)) }))
        for target in targets { try unlink(object, relationship, target) }
      } else if let target = try object.target(relationship) {
        toOnes.append((relationship, target, try place(of: object, in: target, relationship.inverse)))
        try setToOne(object, relationship, nil)
      }
    }
    let old = object.reference
    if isFresh, holder.entity === object.entity, let row = holder.node {
      become(object, row, holder.objectID)
      holder = object
    }
    if case .values = resolution {
      try set(values, on: holder)
    } else {
      for (name, value) in values {
        guard let attribute = holder.entity.attribute(named: name) else { continue }
        holder.setSlot(attribute.slot, value)
        noteUpdated(holder)
      }
    }
    if case .rollback = resolution {
      toOnes = []
      toManys = []
    }
    for (relationship, target, place) in toOnes {
      let present = try holder.target(relationship)
      if present === target || present != nil && !resolution.objectWins { continue }
      try setToOne(holder, relationship, target)
      try put(holder, back: place, in: target, relationship.inverse)
    }
    for (relationship, targets) in toManys {
      let present = Set(try holder.targets(relationship).map(\.reference))
      for (target, place) in targets where !present.contains(target.reference) {
        try link(holder, relationship, target)
        try put(holder, back: place, in: target, relationship.inverse)
      }
    }
    successors.add(old, of: object.entity, holder.reference)
    if holder !== object {
      noteChange(.deleted, object)
      forget(object)
    }
    holder.awakeFromSnapshotEvents(.mergePolicy)
    noteChange(.refreshed, holder)
  }

  /// Where an object stands in an order that leads to it.
  private func place(of object: ManagedObject, in owner: ManagedObject, _ order: Relationship?) throws -> Int?
  {
    guard let order, order.isToMany, order.isOrdered else { return nil }
    _ = try owner.targets(order)
    return owner.toManyState(order).index(of: object.reference)
  }

  private func put(
    _ object: ManagedObject, back place: Int?, in owner: ManagedObject, _ order: Relationship?
  ) throws {
    guard let order, let place else { return }
    let last = try owner.targets(order).count - 1
    try move(object.reference, in: owner, order, to: min(place, last))
  }

  /// A new object is a stored one from now on.
  private func become(_ object: ManagedObject, _ row: IncrementalStoreNode, _ id: ManagedObjectID) {
    if let holder = registeredObject(for: id) { forget(holder) }
    rename(object, id)
    object.state = []
    object.changes = nil
    object.node = row
  }

  /// The attributes of a new object that go over. A value left at its default never wins over a stored one.
  private func wanted(
    of object: ManagedObject, over holder: ManagedObject, _ resolution: MergeResolution
  ) throws -> [String: AttributeValue] {
    if case .values(let values) = resolution { return values }
    if case .rollback = resolution { return [:] }
    var result: [String: AttributeValue] = [:]
    for attribute in object.entity.attributes where !attribute.isTransient && attribute.derivation == nil {
      guard let other = holder.entity.attribute(named: attribute.name) else { continue }
      let (value, present) = (
        try object.slotValue(.attribute(attribute)), try holder.slotValue(.attribute(other))
      )
      if value == present { continue }
      let isDefault = value == attribute.defaultValue
      switch resolution {
      case .overwrite: result[attribute.name] = value
      case .mergeByPropertyObjectTrump: if !isDefault { result[attribute.name] = value }
      default: if !isDefault, present == other.defaultValue { result[attribute.name] = value }
      }
    }
    return result
  }
}

extension MergeResolution {
  /// Whether the object's value stays where both have one.
  var objectWins: Bool {
    switch self {
    case .mergeByPropertyObjectTrump, .overwrite: true
    default: false
    }
  }
}
