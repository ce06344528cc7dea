package import ObjectModel
import ObjectQuery

/// Follows the delete rules from the objects of a batch, by the store's own calls.
struct BatchDeletion {
  private let store: any IncrementalStore
  private(set) var deleted: [ManagedObjectID: IncrementalStoreNode] = [:]
  private var cleared: [ManagedObjectID: (node: IncrementalStoreNode, fields: PropertyIndexSet)] = [:]

  init(_ store: any IncrementalStore) { self.store = store }

  mutating func add(_ nodes: [IncrementalStoreNode]) throws {
    var waiting = nodes
    while let node = waiting.popLast() {
      guard deleted.updateValue(node, forKey: node.objectID) == nil else { continue }
      for relationship in node.entity.relationships where !relationship.isTransient {
        let destinations = try destinations(of: node, relationship)
        switch relationship.deleteRule {
        case .noAction, .deny: break
        case .cascade: waiting += destinations
        case .nullify: clear(relationship.inverse, of: destinations, referencing: node)
        }
      }
    }
    try nullifyUnidirectional()
    try checkRequired()
    try checkDenied()
  }

  /// Clears the to-one of destinations that references a deleted object.
  private mutating func clear(
    _ inverse: RelationshipDescription?, of destinations: [IncrementalStoreNode],
    referencing node: IncrementalStoreNode
  ) {
    guard let inverse, inverse.field >= 0 else { return }
    for destination in destinations where destination.reference(inverse.field) == node.reference {
      cleared[destination.objectID, default: (destination, PropertyIndexSet())].fields.insert(inverse.field)
    }
  }

  /// Throws where a to-one that is not optional would be cleared.
  private func checkRequired() throws {
    for (node, fields) in cleared.values where deleted[node.objectID] == nil {
      for case .toOne(let relationship) in node.entity.storedFields
      where !relationship.isOptional && fields.contains(relationship.field) {
        throw StoreError.deletionDenied(relationship, node.objectID)
      }
    }
  }

  /// Throws where a rule `deny` finds an object that is not deleted.
  private func checkDenied() throws {
    for node in deleted.values {
      for relationship in node.entity.relationships where relationship.deleteRule == .deny {
        if try destinations(of: node, relationship).contains(where: { deleted[$0.objectID] == nil }) {
          throw StoreError.deletionDenied(relationship, node.objectID)
        }
      }
    }
  }

  /// Clears unidirectional to-ones that reference a deleted object.
  ///
  /// One fetch each.
  private mutating func nullifyUnidirectional() throws {
    var nullified: [ObjectIdentifier: (toOne: RelationshipDescription, references: [Int64])] = [:]
    for node in deleted.values {
      for toOne in node.entity.unidirectionalToOnes where toOne.deleteRule != .noAction {
        nullified[ObjectIdentifier(toOne), default: (toOne, [])].references.append(node.reference)
      }
    }
    for (toOne, references) in nullified.values {
      let request = FetchRequest(toOne.entity.name, where: .references(toOne, to: references))
      for holder in try store.fetchNodes(request, lookup: nil) {
        cleared[holder.objectID, default: (holder, PropertyIndexSet())].fields.insert(toOne.field)
      }
    }
  }

  private func destinations(
    of node: IncrementalStoreNode, _ relationship: RelationshipDescription
  ) throws -> [IncrementalStoreNode] {
    if relationship.isToMany {
      return try store.newDestinations(for: relationship, of: [node.reference]).nodes.compactMap { $0 }
    }
    guard relationship.field >= 0, let destination = node.reference(relationship.field) else { return [] }
    return try store.newValues(for: [destination], of: relationship.destination).compactMap { $0 }
  }

  /// The objects that remain and lose a to-one.
  var updates: [UpdatedObject] {
    let builder = NodeBuilder()
    return cleared.values.filter { deleted[$0.node.objectID] == nil }.map { node, fields in
      builder.begin(fieldCount: node.entity.fieldCount)
      for (field, stored) in node.entity.storedFields.enumerated() where !fields.contains(field) {
        builder.copy(field, from: node, isBytes: stored.isStoredAsBytes)
      }
      return UpdatedObject(
        node: builder.finish(node.storeEntity, reference: node.reference, version: node.version + 1),
        changedFields: fields)
    }
  }
}

extension StoreError {
  package static func deletionDenied(_ relationship: RelationshipDescription, _ id: ManagedObjectID?)
    -> StoreError
  {
    StoreError(
      .denied,
      "\(relationship.entity.name) objects cannot be deleted while \(relationship.name) is not empty",
      objectIDs: id.map { [$0] } ?? [])
  }
}
