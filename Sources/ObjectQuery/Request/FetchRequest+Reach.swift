package import ObjectModel

extension FetchRequest {
  /// The root entities, besides the request's own, that its conditions, order and another path lead to.
  package func reach(from entity: Entity, _ path: [String] = []) -> Set<Entity> {
    let conditions = predicate?.keyPaths ?? (own: [], hasOthers: false)
    var roots: Set<Entity> = []
    for path in sort.map(\.keyPath) + conditions.own + [path] {
      var step: Entity? = entity
      for name in path where !name.hasPrefix("@") {
        guard let relationship = step?.relationship(named: name) else { break }
        roots.insert(relationship.destination.root)
        step = relationship.destination
      }
    }
    // What stands inside a subquery or behind a place may lead anywhere.
    return conditions.hasOthers ? roots.union(entity.reachableRoots) : roots
  }
}

extension Entity {
  /// The root entities that relationships lead to from here, over any number of steps.
  fileprivate var reachableRoots: Set<Entity> {
    var found: Set<Entity> = []
    var waiting = family
    while let next = waiting.popLast() {
      for relationship in next.relationships where found.insert(relationship.destination.root).inserted {
        waiting += relationship.destination.root.family
      }
    }
    return found
  }
}
