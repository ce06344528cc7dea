import ObjectModel
import StoreContract

extension CustomStore {
  /// Remembers a snapshot; the row has a new version where it differs from the one that is known.
  @discardableResult
  func take(_ snapshot: Base.Snapshot) throws -> Row {
    let id = try objectID(snapshot.persistentIdentifier)
    let (root, reference) = (id.entity.root.index, id.reference)
    let known = rows[root]?[reference]
    if let known, known.node.entity !== id.entity {
      throw StoreError(
        .invalidValue,
        "the store has a \(id.entity.name) with the primary key of a \(known.node.entity.name); give no key"
          + " twice among a class and its subclasses", objectIDs: [id])
    }
    var row = try row(of: snapshot, id, version: known?.node.version ?? 1)
    if let known {
      if isSame(known, row) {
        row.node = known.node
      } else {
        row = try self.row(of: snapshot, id, version: known.node.version + 1)
      }
    }
    rows[root, default: [:]][reference] = row
    stale[root]?.remove(reference)
    return row
  }

  private func isSame(_ left: Row, _ right: Row) -> Bool {
    left.toManys == right.toManys && left.node.entity === right.node.entity
      && left.node.entity.storedFields.allSatisfy { left.node.value(of: $0) == right.node.value(of: $0) }
  }

  private func row(of snapshot: Base.Snapshot, _ id: ManagedObjectID, version: Int64) throws -> Row {
    let entity = id.entity
    let shape = ModelSchema.of(try type(entity))
    let values = try SnapshotReader(snapshot, shape).values
    var toManys: [Int: [Int64]] = [:]
    builder.begin(fieldCount: entity.fieldCount)
    for property in shape.properties {
      switch values[property.name] {
      case .attribute(let value)?:
        if let attribute = entity.attribute(named: property.name), attribute.field >= 0 {
          try builder.set(attribute, value)
        }
      case .toOne(let identifier)?:
        guard let relationship = entity.relationship(named: property.name) else { continue }
        if let identifier {
          builder.set(relationship.field, integer: try destination(identifier, relationship))
        } else {
          builder.setNull(relationship.field)
        }
      case .toMany(let identifiers?)?:
        guard let relationship = entity.relationship(named: property.name) else { continue }
        var seen: Set<Int64> = []
        toManys[property.index.index] = try identifiers.map { try destination($0, relationship) }
          .filter { seen.insert($0).inserted }
      case .toMany(nil)?, nil: break
      }
    }
    let node = builder.finish(storeEntities[entity.index], reference: id.reference, version: version)
    return Row(node: node, toManys: toManys, snapshot: snapshot)
  }

  private func destination(
    _ identifier: PersistentIdentifier, _ relationship: RelationshipDescription
  ) throws -> Int64 {
    let id = try objectID(identifier)
    guard id.entity.isKind(of: relationship.destination) || relationship.destination.isKind(of: id.entity)
    else {
      throw StoreError(
        .invalidValue,
        "a snapshot of \(relationship.entity.name) has a \(id.entity.name) for \(relationship.name); give it"
          + " the identifier of a \(relationship.destination.name)")
    }
    return id.reference
  }

  /// Asks the store for models that are not known.
  func load(_ references: [Int64], of entity: EntityDescription) throws {
    let root = entity.root.index
    func unknown() -> [PersistentIdentifier] {
      references.filter { rows[root]?[$0] == nil || stale[root]?.contains($0) == true }
        .map { persistentIdentifier($0, of: entity) }.filter { !$0.isTemporary }
    }
    var missing = unknown()
    if missing.isEmpty { return }
    defer { forget(references, root) }
    for (_, snapshot) in try base.cachedSnapshots(for: missing, editingState: editingState) {
      try take(snapshot)
    }
    missing = unknown()
    if missing.isEmpty { return }
    func open<T: PersistentModel>(_ type: T.Type) throws {
      let wanted = missing
      let descriptor = FetchDescriptor<T>(predicate: #Predicate { wanted.contains($0.persistentModelID) })
      do {
        try take(base.fetch(DataStoreFetchRequest(descriptor: descriptor, editingState: editingState)))
      } catch {
        // Whatever it does not like in the condition: it is asked for all.
        _ = try all(entity)
      }
    }
    try open(type(entity))
  }

  /// Forgets rows that the store does not have any more.
  private func forget(_ references: [Int64], _ root: Int) {
    for reference in references where stale[root]?.remove(reference) != nil { rows[root]?[reference] = nil }
  }

  /// Remembers what a fetch found; the models that were asked for.
  @discardableResult
  func take<T>(_ result: DataStoreFetchResult<T, Base.Snapshot>) throws -> [IncrementalStoreNode] {
    for snapshot in result.relatedSnapshots.values { try take(snapshot) }
    return try result.fetchedSnapshots.map { try take($0).node }
  }

  /// The models of an entity and its subentities, read now; those that are no longer there are forgotten.
  func all(_ entity: EntityDescription) throws -> [IncrementalStoreNode] {
    func open<T: PersistentModel>(_ type: T.Type) throws -> [IncrementalStoreNode] {
      let request = DataStoreFetchRequest(descriptor: FetchDescriptor<T>(), editingState: editingState)
      let nodes: [IncrementalStoreNode]
      do { nodes = try take(base.fetch(request)).filter { $0.entity.isKind(of: entity) } } catch let error
        as DataStoreError
        where error == .preferInMemoryFilter || error == .preferInMemorySort
      {
        throw StoreError(
          .unsupportedRequest,
          "the store answers no request for all \(entity.name); answer one without predicate and order",
          cause: error)
      }
      let present = Set(nodes.map(\.reference))
      rows[entity.root.index] = rows[entity.root.index]?.filter { reference, row in
        present.contains(reference) || !row.node.entity.isKind(of: entity)
      }
      return nodes
    }
    return try open(type(entity))
  }

  // MARK: Reading

  func newValues(for references: [Int64], of entity: EntityDescription) throws -> [IncrementalStoreNode?] {
    try withLock {
      try load(references, of: entity)
      return references.map { rows[entity.root.index]?[$0]?.node.of(entity) }
    }
  }

  func newValues(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> RelationshipDestinations
  {
    try withLock {
      try load(references, of: relationship.entity)
      let lists = try destinations(relationship, of: references)
      let destination = relationship.destination
      try load(Array(Set(lists.joined())), of: destination)
      var result = RelationshipDestinations()
      for list in lists {
        for reference in list {
          // One that is no longer there is in no list.
          guard let node = rows[destination.root.index]?[reference]?.node else { continue }
          if destination.hasSubentities {
            result.append(reference, entityIndex: node.entity.index)
          } else {
            result.append(reference)
          }
        }
        result.endSource()
      }
      return result
    }
  }

  /// As the models' snapshots say, else those that lead to them: found once for all.
  private func destinations(
    _ relationship: RelationshipDescription, of references: [Int64]
  ) throws -> [[Int64]] {
    var found: [Int64: [Int64]]?
    func leading(to reference: Int64, by inverse: RelationshipDescription) throws -> [Int64] {
      if let found { return found[reference] ?? [] }
      var sources: [Int64: [Int64]] = [:]
      for node in try all(relationship.destination) {
        if let end = node.reference(inverse.field) { sources[end, default: []].append(node.reference) }
      }
      found = sources
      return sources[reference] ?? []
    }
    return try references.map { reference in
      let row = rows[relationship.entity.root.index]?[reference]
      if let known = row?.toManys[relationship.index] { return known }
      guard row != nil, let inverse = relationship.inverse, !inverse.isToMany else { return [] }
      return try leading(to: reference, by: inverse)
    }
  }
}
