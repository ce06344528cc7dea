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
    if save.relationshipChanges.isEmpty { return }
    let new = Self.newNumbers(save.inserted)
    for change in save.relationshipChanges { add(change, new) }
    if indexes.isEmpty { return }
    for node in save.inserted { indexes[Key(root: node.entity.root.index, reference: node.reference)] = nil }
    for lock in save.deleted {
      indexes[Key(root: lock.objectID.entity.root.index, reference: lock.objectID.reference)] = nil
    }
  }

  /// By the root entity's index, the numbers of new objects where they follow each other, as they mostly do.
  private static func newNumbers(_ nodes: [IncrementalStoreNode]) -> [Int: ClosedRange<Int64>] {
    var found: [Int: (numbers: ClosedRange<Int64>, count: Int64)] = [:]
    for node in nodes {
      let (root, number) = (node.entity.root.index, node.reference)
      let known = found[root] ?? (number...number, 0)
      let (least, greatest) = (min(known.numbers.lowerBound, number), max(known.numbers.upperBound, number))
      found[root] = (least...greatest, known.count + 1)
    }
    return found.compactMapValues { numbers, count in
      numbers.upperBound - numbers.lowerBound + 1 == count ? numbers : nil
    }
  }

  private mutating func add(_ change: RelationshipChanges, _ new: [Int: ClosedRange<Int64>]) {
    let owner = change.relationship
    let (sources, destinations) = (owner.entity.root.index, owner.destination.root.index)
    let (newSources, newDestinations) = (new[sources], new[destinations])
    for rows in [change.added, change.removed] {
      for row in rows {
        if newSources?.contains(row.source) != true { add(sources, row.source, owner) }
        if let inverse = owner.inverse, newDestinations?.contains(row.destination) != true {
          add(destinations, row.destination, inverse)
        }
      }
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
