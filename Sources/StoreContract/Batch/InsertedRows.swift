package import ObjectModel

/// The rows of a batch insert, as the saves that they are.
package struct InsertedRows {
  private let entity: EntityDescription
  private let storeEntities: [StoreEntity]
  private let row: BatchRow
  private var save = SaveChangesRequest()
  private var links: [ObjectIdentifier: RelationshipChanges] = [:]
  private var total = 0
  private var (first, last): (Int64, Int64) = (0, 0)

  /// Of an entity.
  /// - Parameters:
  ///   - entity: The entity of the new objects.
  ///   - storeEntities: Those of the store.
  /// - Throws: `invalidValue` when the entity is abstract.
  package init(_ entity: EntityDescription, _ storeEntities: [StoreEntity]) throws {
    guard !entity.isAbstract else { throw StoreError.abstract(entity) }
    (self.entity, self.storeEntities) = (entity, storeEntities)
    row = BatchRow(entity)
  }

  /// Takes the next row.
  /// - Parameters:
  ///   - next: Fills it.
  ///   - reference: Gives its number.
  /// - Returns: Whether there was one.
  /// - Throws: What `next` and `reference` throw; `invalidValue` where a required value is missing.
  package mutating func add(
    _ next: (BatchRow) throws -> Bool, _ reference: () throws -> Int64
  ) throws -> Bool {
    try row.begin()
    guard try next(row) else { return false }
    try row.check()
    let number = try reference()
    if total == 0 { first = number }
    (total, last) = (total + 1, number)
    let node = row.builder.finish(storeEntities[entity.index], reference: number, version: 1)
    save.inserted.append(node)
    for (relationship, destinations) in row.joinTableRows { link(number, relationship, destinations) }
    for case .toOne(let relationship) in entity.storedFields {
      if let destination = node.reference(relationship.field) { link(number, relationship, destination) }
    }
    return true
  }

  private mutating func link(
    _ number: Int64, _ relationship: RelationshipDescription, _ destinations: [Int64]
  ) {
    let owner = relationship.joinTableOwner
    var changes = links[ObjectIdentifier(owner)] ?? RelationshipChanges(relationship: owner)
    for destination in destinations {
      changes.added.append(
        relationship === owner
          ? .init(source: number, destination: destination) : .init(source: destination, destination: number))
      // One that is its own inverse has each pair both ways.
      if relationship.inverse === relationship, destination != number {
        changes.added.append(.init(source: destination, destination: number))
      }
      save.existing.append(
        ManagedObjectID(storeEntities[relationship.destination.index], reference: destination))
    }
    links[ObjectIdentifier(owner)] = changes
  }

  private mutating func link(_ number: Int64, _ toOne: RelationshipDescription, _ destination: Int64) {
    save.existing.append(ManagedObjectID(storeEntities[toOne.destination.index], reference: destination))
    // The order of a to-many is stored beside its inverse's column.
    if let inverse = toOne.inverse, inverse.isOrdered {
      links[ObjectIdentifier(inverse), default: RelationshipChanges(relationship: inverse)].added
        .append(.init(source: destination, destination: number))
    }
  }

  /// The number of rows since the last save.
  package var count: Int { save.inserted.count }

  /// The save of the rows since the last one.
  package mutating func take() -> SaveChangesRequest {
    var taken = save
    taken.relationshipChanges = Array(links.values)
    let own = Set(taken.inserted.map(\.reference))
    taken.existing.removeAll { $0.entity.root === entity.root && own.contains($0.reference) }
    (save, links) = (SaveChangesRequest(), [:])
    return taken
  }

  /// What was inserted.
  package var result: BatchResult {
    BatchResult(count: total, references: total == 0 ? nil : first..<last + 1)
  }
}
