import CipherDatabase
public import ObjectModel
public import StoreContract

extension SQLCipherStore {
  /// The destinations of a to-many relationship for many sources at once, with the nodes of the
  /// destinations.
  ///
  /// A one-to-many takes one statement: over the index of its inverse, or, where the sources are a
  /// large part of all objects, over the whole table, which is read once and in order. A
  /// many-to-many takes two.
  public func newDestinations(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> DestinationNodes
  {
    let opened = try open
    guard !relationship.hasJoinTable, let inverse = relationship.inverse,
      let column = opened.schema.table(relationship.destination).column(inverse), references.count > 1
    else { return try destinationsThenNodes(for: relationship, of: references) }
    return try translating(path) {
      try opened.pool.fetch { connection in
        let plan = opened.plans[relationship.destination.index]
        let whole = references.count * 4 >= (try greatestNumber(relationship.entity, connection, opened))
        let text = opened.destinationPlans.rows(relationship, plan, column.name, opened.schema, whole: whole)
        let statement = try connection.cached(text)
        defer { statement.reset() }
        let places = Places(references)
        if !whole { statement.bind(1, integers: IntegerArray(references)) }
        let builder = NodeBuilder()
        var nodes: [IncrementalStoreNode] = []
        var owners: [Int32] = []
        while try statement.step() {
          guard let place = places[statement.int64(plan.positionColumn)] else { continue }
          nodes.append(try plan.node(statement, builder: builder, opened: opened))
          owners.append(Int32(place))
        }
        return DestinationNodes(
          nodes, owners: owners, sources: references.count,
          withEntities: relationship.destination.hasSubentities)
      }
    }
  }
}

/// Where each of a list of reference numbers stands.
private struct Places {
  private var dense: [Int32] = []
  private var least: Int64 = 0
  private var sparse: [Int64: Int] = [:]

  init(_ references: [Int64]) {
    least = references.min() ?? 0
    let span = (references.max() ?? 0) - least + 1
    if span <= 1024 + 8 * references.count {
      dense = Array(repeating: -1, count: Int(span))
      for (place, reference) in references.enumerated() { dense[Int(reference - least)] = Int32(place) }
    } else {
      sparse = Dictionary(
        references.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    }
  }

  subscript(reference: Int64) -> Int? {
    if dense.isEmpty { return sparse[reference] }
    let place = reference - least
    guard place >= 0, place < dense.count, dense[Int(place)] >= 0 else { return nil }
    return Int(dense[Int(place)])
  }
}
