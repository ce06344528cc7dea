import ObjectModel
import StoreContract

/// Makes one save of the contents of a new store, with the numbers that the store gives.
final class GatheredContents: NewStoreContents {
  private let store: any IncrementalStore
  private var metadata: [String: String] = [:]
  private var rows: [IncrementalStoreNode] = []
  private var links: [ObjectIdentifier: RelationshipChanges] = [:]
  private let builder = NodeBuilder()
  /// The numbers of the objects in the store, once the rows have ended.
  private(set) var numbers = ObjectNumbers()

  init(_ store: any IncrementalStore) { self.store = store }

  func set(metadata: [String: String]) { self.metadata = metadata }

  func insert(
    _ entity: EntityDescription, reference: Int64, version: Int64, fill: (NodeBuilder) throws -> Void
  ) throws {
    builder.begin(fieldCount: entity.fieldCount)
    try fill(builder)
    rows.append(builder.finish(store.storeEntities[entity.index], reference: reference, version: version))
  }

  /// Nothing: the store gives its own numbers.
  func reserve(_ reference: Int64, _ root: EntityDescription) {}

  func endRows() throws {
    let ids = try store.obtainPermanentIDs(for: rows.map(\.entity))
    for (row, id) in zip(rows, ids) { numbers.set(id.reference, for: row.reference, of: row.entity) }
  }

  func link(
    _ relationship: RelationshipDescription, _ source: Int64, _ destination: Int64, position: Int64
  ) throws {
    let (own, other) = try ends(relationship, source, destination)
    let key = ObjectIdentifier(relationship)
    links[key, default: RelationshipChanges(relationship: relationship)].added
      .append(.init(source: own, destination: other))
    if relationship.isOrdered { links[key]?.orders.append(own, other, position) }
  }

  func place(
    _ relationship: RelationshipDescription, _ source: Int64, _ destination: Int64, position: Int64
  ) throws {
    let (own, other) = try ends(relationship, source, destination)
    links[ObjectIdentifier(relationship.joinTableOwner)]?.inverseOrders.append(own, other, position)
  }

  private func ends(
    _ relationship: RelationshipDescription, _ source: Int64, _ destination: Int64
  ) throws -> (Int64, Int64) {
    (
      try number(source, of: relationship.entity, relationship),
      try number(destination, of: relationship.destination, relationship)
    )
  }

  /// - Throws: `notFound` for an object that the source has not: its number is another one's here.
  private func number(
    _ reference: Int64, of entity: EntityDescription, _ relationship: RelationshipDescription
  ) throws -> Int64 {
    if let known = numbers[reference, of: entity] { return known }
    throw StoreError(
      .notFound,
      "\(relationship.entity.name).\(relationship.name) leads to \(entity.name) \(reference), which the"
        + " source has not; nothing was saved")
  }

  /// The save of all of it.
  func save() throws -> SaveChangesRequest {
    var save = SaveChangesRequest()
    save.metadata = metadata
    save.inserted = try rows.map(renumbered)
    save.relationshipChanges = Array(links.values)
    return save
  }

  private func renumbered(_ row: IncrementalStoreNode) throws -> IncrementalStoreNode {
    let entity = row.entity
    builder.begin(fieldCount: entity.fieldCount)
    for (place, field) in entity.storedFields.enumerated() {
      if case .toOne(let relationship) = field, let destination = row.reference(place) {
        builder.set(place, integer: try number(destination, of: relationship.destination, relationship))
      } else {
        builder.copy(place, from: row, isBytes: field.isStoredAsBytes)
      }
    }
    let number = numbers[row.reference, of: entity] ?? row.reference
    return builder.finish(row.storeEntity, reference: number, version: 1)
  }
}

/// The numbers that objects have in another store.
struct ObjectNumbers {
  private var byRoot: [Int: [Int64: Int64]] = [:]

  mutating func set(_ number: Int64, for reference: Int64, of entity: EntityDescription) {
    byRoot[entity.root.index, default: [:]][reference] = number
  }

  subscript(reference: Int64, of entity: EntityDescription) -> Int64? {
    byRoot[entity.root.index]?[reference]
  }
}

extension [(source: Int64, destinations: [Int64])] {
  /// Adds a destination; those of one source come one after the other.
  fileprivate mutating func append(_ source: Int64, _ destination: Int64, _ position: Int64) {
    if position == 0 { append((source, [])) }
    self[count - 1].destinations.append(destination)
  }
}
