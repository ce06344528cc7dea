public import ObjectModel
public import ObjectQuery

/// Batches by way of saves, for stores that have no faster one. Each batch has all its rows in
/// memory.
extension IncrementalStore {
  /// Inserts all rows by one save.
  public func insert(into entity: EntityDescription, next: (BatchRow) throws -> Bool) throws -> BatchResult {
    var rows = try InsertedRows(entity, storeEntities)
    while try rows.add(next, { try obtainPermanentIDs(for: [entity])[0].reference }) {}
    let save = rows.take()
    if !save.inserted.isEmpty { try self.save(save) }
    return rows.result
  }

  /// Changes all objects by one save, tried again where others change some of them meanwhile.
  public func update(_ batch: BatchUpdate) throws -> BatchResult {
    try untilSettled { try updateOnce(batch) }
  }

  /// A batch is of what is stored when it runs, whatever that is.
  private func untilSettled<R>(_ body: () throws -> R) throws -> R {
    for _ in 1..<16 {
      do { return try body() } catch let error as StoreError where error.code == .conflict {}
    }
    return try body()
  }

  private func updateOnce(_ batch: BatchUpdate) throws -> BatchResult {
    let save = try changes(batch)
    if !save.updated.isEmpty { try self.save(save) }
    return BatchResult(count: save.updated.count)
  }

  /// The save that a batch update is, by what is stored now.
  package func changes(_ batch: BatchUpdate) throws -> SaveChangesRequest {
    let nodes = try nodes(batch.request)
    var save = SaveChangesRequest()
    if let entity = storeEntities.first(where: { $0.entity.name == batch.request.entityName })?.entity {
      for (relationship, destination) in try batch.destinations(entity) {
        save.existing.append(
          ManagedObjectID(storeEntities[relationship.destination.index], reference: destination))
      }
    }
    let builder = NodeBuilder()
    for node in nodes {
      builder.begin(fieldCount: node.entity.fieldCount)
      var changed = PropertyIndexSet()
      for (field, stored) in node.entity.storedFields.enumerated() {
        guard let value = batch.values[stored.name] else {
          builder.copy(field, from: node, isBytes: stored.isStoredAsBytes)
          continue
        }
        changed.insert(field)
        try builder.set(stored, value)
      }
      save.updated.append(
        UpdatedObject(
          node: builder.finish(node.storeEntity, reference: node.reference, version: node.version + 1),
          changedFields: changed))
    }
    return save
  }

  /// Deletes all objects by one save, tried again where others change some of them meanwhile.
  public func delete(matching request: FetchRequest) throws -> BatchResult {
    try untilSettled { try deleteBySaving(matching: request) }
  }

  /// Deletes all objects by one save, also in a store that may delete otherwise.
  package func deleteBySaving(matching request: FetchRequest) throws -> BatchResult {
    let save = try deletions(matching: request)
    if !save.deleted.isEmpty { try self.save(save) }
    return BatchResult(count: save.deleted.count)
  }

  /// The save that a batch deletion is, by what is stored now.
  package func deletions(matching request: FetchRequest) throws -> SaveChangesRequest {
    var save = SaveChangesRequest()
    var deletion = BatchDeletion(self)
    try deletion.add(try nodes(request))
    save.deleted = deletion.deleted.values.map { LockedObject(objectID: $0.objectID, version: $0.version) }
    save.updated = deletion.updates
    return save
  }

  private func nodes(_ request: FetchRequest) throws -> [IncrementalStoreNode] {
    try fetchNodes(request.returning(.objects), lookup: nil)
  }
}

extension BatchUpdate {
  /// The to-ones among the values, with their new destinations.
  ///
  /// - Throws: `notFound` for a name that is no stored property of the entity; `unsupportedRequest` for a
  ///   to-one whose inverse is ordered, since no value says where in the order.
  package func destinations(_ entity: EntityDescription) throws -> [(RelationshipDescription, Int64)] {
    try values.compactMap { name, value in
      switch entity.property(named: name) {
      case .attribute(let attribute)? where !attribute.isTransient: return nil
      case .relationship(let relationship)? where relationship.field >= 0:
        if relationship.inverse?.isOrdered == true {
          throw StoreError(
            .unsupportedRequest,
            "a batch cannot change \(entity.name).\(name), whose inverse is ordered; set it and save")
        }
        if case .reference(let destination) = value { return (relationship, destination) }
        return nil
      default: throw StoreError(.notFound, "\(entity.name) has no stored value \(name) to set")
      }
    }
  }
}

extension StoreError {
  package static func abstract(_ entity: EntityDescription) -> StoreError {
    StoreError(.invalidValue, "\(entity.name) is abstract; insert into one of its subentities")
  }
}

extension NodeBuilder {
  /// Sets a stored field from a value; a to-one takes `.reference`.
  ///
  /// - Throws: `invalidValue` when the value is not of the field's type.
  package func set(_ field: StoredField, _ value: AttributeValue) throws {
    switch (field, value) {
    case (.attribute(let attribute), _):
      guard value.matches(attribute.type) else { throw StoreError.invalidValue(attribute) }
      try set(attribute, value)
    case (.toOne(let relationship), .null): setNull(relationship.field)
    case (.toOne(let relationship), .reference(let reference)): set(relationship.field, integer: reference)
    default: throw StoreError.invalidValue(nil)
    }
  }
}
