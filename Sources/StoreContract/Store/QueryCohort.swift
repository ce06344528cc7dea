import ObjectModel

/// Stored objects that a predicate is evaluated on one after the other: a relationship of all of them is
/// read when the first is asked for it.
package final class QueryCohort {
  private struct Related {
    let cohort: QueryCohort
    /// For each object where its destinations end in the other cohort.
    let ends: [Int]
  }

  /// So many that a statement pays, and so few that not all is read where the first object decides.
  private static let size = 1000

  let store: any IncrementalStore
  let nodes: [IncrementalStoreNode]
  private var related: [ObjectIdentifier: Related] = [:]

  init(_ nodes: [IncrementalStoreNode], in store: any IncrementalStore) {
    (self.nodes, self.store) = (nodes, store)
  }

  /// The objects of nodes, in their order.
  package static func objects(
    _ nodes: [IncrementalStoreNode], in store: any IncrementalStore
  ) -> [StoreQueryObject] {
    stride(from: 0, to: nodes.count, by: size).flatMap { start in
      QueryCohort(Array(nodes[start..<min(start + size, nodes.count)]), in: store).objects
    }
  }

  private var objects: [StoreQueryObject] { nodes.indices.map { StoreQueryObject(self, $0) } }

  /// The destinations of one of the objects.
  ///
  /// Statements at the first call for the relationship: one for a to-one, one or two for a to-many.
  func destinations(of relationship: RelationshipDescription, at index: Int) throws -> [StoreQueryObject] {
    let key = ObjectIdentifier(relationship)
    let found = try related[key] ?? read(relationship)
    related[key] = found
    return ((index == 0 ? 0 : found.ends[index - 1])..<found.ends[index]).map {
      StoreQueryObject(found.cohort, $0)
    }
  }

  private func read(_ relationship: RelationshipDescription) throws -> Related {
    let owners = nodes.indices.filter { nodes[$0].entity.isKind(of: relationship.entity) }
    let destinations =
      try relationship.isToMany ? toMany(relationship, owners) : toOne(relationship, owners)
    var (all, ends): ([IncrementalStoreNode], [Int]) = ([], [])
    var next = 0
    for index in nodes.indices {
      if next < owners.count, owners[next] == index {
        all += destinations[next]
        next += 1
      }
      ends.append(all.count)
    }
    return Related(cohort: QueryCohort(all, in: store), ends: ends)
  }

  private func toOne(
    _ relationship: RelationshipDescription, _ owners: [Int]
  ) throws -> [[IncrementalStoreNode]] {
    if relationship.field < 0 { return owners.map { _ in [] } }
    let references = owners.map { nodes[$0].reference(relationship.field) }
    let different = Set(references.compactMap { $0 }).sorted()
    let found = try store.newValues(for: different, of: relationship.destination)
    let byReference = Dictionary(uniqueKeysWithValues: zip(different, found))
    return references.map { reference in
      if let reference, let node = byReference[reference] ?? nil { [node] } else { [] }
    }
  }

  private func toMany(
    _ relationship: RelationshipDescription, _ owners: [Int]
  ) throws -> [[IncrementalStoreNode]] {
    let found = try store.newDestinations(for: relationship, of: owners.map { nodes[$0].reference })
    var start = 0
    return owners.indices.map { place in
      let count = found.destinations.destinations(at: place).count
      defer { start += count }
      return found.nodes[start..<start + count].compactMap { $0 }
    }
  }
}
