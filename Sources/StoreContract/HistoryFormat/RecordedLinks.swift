package import ObjectModel

/// What a save changes at one side of a to-many that is stored in a join table.
package struct RecordedLinks {
  package let relationship: RelationshipDescription
  package let isOrdered: Bool
  /// By the object that has the relationship, the destinations.
  package private(set) var added: [Int64: [Int64]] = [:]
  package private(set) var removed: [Int64: [Int64]] = [:]
  private var placed: [Int64] = []

  private init(_ relationship: RelationshipDescription) {
    self.relationship = relationship
    isOrdered = relationship.isOrdered
  }

  /// The objects whose links change.
  package var sources: [Int64] { Set(added.keys).union(removed.keys).union(placed).sorted() }

  /// The sides that the model asks for.
  package static func of(_ change: RelationshipChanges, _ recorded: RecordedProperties) -> [RecordedLinks] {
    let owner = change.relationship
    var result: [RecordedLinks] = []
    if recorded.isConcerned(owner.entity) {
      var side = RecordedLinks(owner)
      for row in change.added { side.added[row.source, default: []].append(row.destination) }
      for row in change.removed { side.removed[row.source, default: []].append(row.destination) }
      side.placed = change.orders.map(\.source)
      result.append(side)
    }
    if let inverse = owner.inverse, inverse !== owner, inverse.isToMany, recorded.isConcerned(inverse.entity)
    {
      var side = RecordedLinks(inverse)
      for row in change.added { side.added[row.destination, default: []].append(row.source) }
      for row in change.removed { side.removed[row.destination, default: []].append(row.source) }
      side.placed = change.inverseOrders.map(\.source)
      result.append(side)
    }
    return result
  }
}
