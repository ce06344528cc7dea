package import ObjectModel

/// Which relationships of which objects a save's changes of join tables are of, at both ends.
package struct LinkedProperties {
  /// An object, by its hierarchy.
  package struct Key: Hashable {
    /// The index of the root entity.
    package let root: Int
    /// The object's number.
    package let reference: Int64

    package init(root: Int, reference: Int64) {
      self.root = root
      self.reference = reference
    }
  }

  /// By the object, the indexes of the relationships.
  package private(set) var indexes: [Key: PropertyIndexSet] = [:]

  /// Those of objects that a save neither inserts nor deletes: these are changed whole.
  package init(_ save: SaveChangesRequest) {
    for change in save.relationshipChanges { add(change) }
    if indexes.isEmpty { return }
    for node in save.inserted { indexes[Key(root: node.entity.root.index, reference: node.reference)] = nil }
    for lock in save.deleted {
      indexes[Key(root: lock.objectID.entity.root.index, reference: lock.objectID.reference)] = nil
    }
  }

  private mutating func add(_ change: RelationshipChanges) {
    let owner = change.relationship
    let (sources, destinations) = (owner.entity.root.index, owner.destination.root.index)
    for row in change.added + change.removed {
      add(sources, row.source, owner)
      if let inverse = owner.inverse { add(destinations, row.destination, inverse) }
    }
    for (source, _) in change.orders { add(sources, source, owner) }
    guard let inverse = owner.inverse else { return }
    for (source, _) in change.inverseOrders { add(destinations, source, inverse) }
  }

  private mutating func add(_ root: Int, _ reference: Int64, _ relationship: RelationshipDescription) {
    indexes[Key(root: root, reference: reference), default: .init()].insert(relationship.index)
  }

  /// Takes out the relationships of an object; nil where it has none.
  package mutating func remove(_ entity: EntityDescription, _ reference: Int64) -> PropertyIndexSet? {
    indexes.isEmpty ? nil : indexes.removeValue(forKey: Key(root: entity.root.index, reference: reference))
  }
}

extension StoredField {
  /// The index in the entity's properties.
  package var propertyIndex: Int {
    switch self {
    case .attribute(let attribute): attribute.index
    case .toOne(let relationship): relationship.index
    }
  }
}
