import ObjectModel

extension InMemoryStore {
  /// Executes a save.
  ///
  /// See `IncrementalStore.save(_:beforeCommit:)`.
  public func save(_ save: SaveChangesRequest, beforeCommit: () throws -> Void) throws {
    try checkOpen()
    if isReadOnly { throw StoreError(.readOnly, "the store is open for reading only") }
    try state.withLock { state in
      try Self.checkVersions(save, in: state)
      var next = state
      for node in save.inserted { next.tables[node.entity.root.index, default: [:]][node.reference] = node }
      for change in save.updated {
        next.tables[change.node.entity.root.index, default: [:]][change.node.reference] = change.node
      }
      for lock in save.deleted { Self.remove(lock.objectID, from: &next) }
      let missing = save.existing.filter { next.tables[$0.entity.root.index]?[$0.reference] == nil }
      guard missing.isEmpty else { throw StoreError.missingDestinations(missing) }
      try Self.checkDeletions(save.deleted.map(\.objectID), in: next)
      for changes in save.relationshipChanges { Self.apply(changes, to: &next) }
      try Self.checkUniqueness(of: save.inserted + save.updated.map(\.node), in: next)
      if let metadata = save.metadata { next.metadata = StoreMetadata.programs(metadata) }
      record(save, before: state, in: &next)
      try beforeCommit()
      state = next
    }
    try derive(save)
  }

  /// Computes the derived attributes that a save may have changed.
  ///
  /// Rows that another save changed meanwhile are left as they are.
  private func derive(_ save: SaveChangesRequest) throws {
    let written =
      save.inserted.map(\.entity) + save.updated.map(\.node.entity) + save.deleted.map(\.objectID.entity)
    let linked = save.relationshipChanges.flatMap { [$0.relationship.entity, $0.relationship.destination] }
    let entities = Set((written + linked).flatMap(\.derivedEntities))
    let changed = Set((save.inserted + save.updated.map(\.node)).map(\.objectID))
    for entity in entities {
      let rows = state.withLock { state in
        (state.tables[entity.root.index] ?? [:]).values.filter { $0.entity.isKind(of: entity) }
      }
      let builder = NodeBuilder()
      for row in rows {
        builder.begin(fieldCount: row.entity.fieldCount)
        for field in row.entity.storedFields {
          guard case .attribute(let attribute) = field, let derivation = attribute.derivation,
            derivation != .now || changed.contains(row.objectID)
          else {
            try builder.set(field, row.value(of: field))
            continue
          }
          try builder.set(
            attribute, try derivation.value(of: StoreQueryObject(row, in: self), for: attribute))
        }
        let new = builder.finish(
          storeEntities[row.entity.index], reference: row.reference, version: row.version)
        state.withLock { state in
          if state.tables[entity.root.index]?[row.reference]?.version == row.version {
            state.tables[entity.root.index]?[row.reference] = new
          }
        }
      }
    }
  }

  private static func checkVersions(_ save: SaveChangesRequest, in state: State) throws {
    var stale: [ManagedObjectID] = []
    func check(_ id: ManagedObjectID, _ version: Int64) {
      if state.tables[id.entity.root.index]?[id.reference]?.version != version { stale.append(id) }
    }
    for change in save.updated { check(change.node.objectID, change.node.version - 1) }
    for node in save.inserted where state.tables[node.entity.root.index]?[node.reference] != nil {
      stale.append(node.objectID)
    }
    for lock in save.deleted + save.locked { check(lock.objectID, lock.version) }
    guard stale.isEmpty else {
      throw StoreError.stale(stale)
    }
  }

  private static func checkDeletions(_ ids: [ManagedObjectID], in state: State) throws {
    var linked: Set<ManagedObjectID> = []
    for (entity, own) in Dictionary(grouping: ids, by: \.entity) {
      for toOne in entity.referencingRelationships {
        let deleted = Dictionary(own.map { ($0.reference, $0) }, uniquingKeysWith: { first, _ in first })
        for node in (state.tables[toOne.entity.root.index] ?? [:]).values
        where node.entity.isKind(of: toOne.entity) {
          if let id = node.reference(toOne.field).flatMap({ deleted[$0] }) { linked.insert(id) }
        }
      }
    }
    if !linked.isEmpty { throw StoreError.referencedMeanwhile(Array(linked)) }
  }

  private static func remove(_ id: ManagedObjectID, from state: inout State) {
    state.tables[id.entity.root.index]?[id.reference] = nil
    for relationship in id.entity.relationships where relationship.hasJoinTable {
      let owner = relationship.joinTableOwner
      if relationship === owner { state.links[owner.key]?.removeAll(source: id.reference) }
      if relationship !== owner || relationship.inverse === relationship {
        state.links[owner.key]?.removeAll(destination: id.reference)
      }
    }
  }

  private static func apply(_ changes: RelationshipChanges, to state: inout State) {
    var table = state.links[changes.relationship.key] ?? InMemoryJoinTable()
    changes.removed.forEach { table.remove($0) }
    changes.added.forEach { table.add($0) }
    for (source, destinations) in changes.orders { table.order(source: source, destinations: destinations) }
    for (destination, sources) in changes.inverseOrders {
      table.order(destination: destination, sources: sources)
    }
    state.links[changes.relationship.key] = table
  }

  private static func checkUniqueness(of nodes: [IncrementalStoreNode], in state: State) throws {
    var seen: [EntityDescription: [UniquenessConstraint]] = [:]
    for entity in Set(nodes.map(\.entity)) {
      for constraint in entity.uniquenessConstraints {
        // A constraint that an entity declares holds for all its subentities.
        var declaring = entity
        while let above = declaring.superentity, above.uniquenessConstraints.contains(constraint) {
          declaring = above
        }
        if seen[declaring]?.contains(constraint) != true { seen[declaring, default: []].append(constraint) }
      }
    }
    for (entity, constraints) in seen {
      for constraint in constraints {
        let fields = constraint.propertyNames.compactMap { name in
          entity.storedFields.first { $0.name == name }
        }
        var owners: [[AttributeValue]: IncrementalStoreNode] = [:]
        for node in (state.tables[entity.root.index] ?? [:]).values where node.entity.isKind(of: entity) {
          let key = fields.map { node.value(of: $0) }
          if key.contains(.null) { continue }
          if let other = owners.updateValue(node, forKey: key) {
            throw StoreError(
              .notUnique,
              "two \(entity.name) have the same \(constraint.propertyNames.joined(separator: ", "))",
              objectIDs: [other.objectID, node.objectID])
          }
        }
      }
    }
  }
}
