package import ObjectModel

/// What a request's conditions and order look at besides the request's own objects.
package struct ReferencedKeyPaths {
  /// The relationships, in one step or several, with the entity at their end.
  package private(set) var paths: [(names: [String], isToMany: Bool, destination: EntityDescription)] = []
  /// Whether there is more, inside subqueries or behind places, that may lead anywhere.
  package let hasOthers: Bool

  /// - Parameter path: Another path that counts.
  package init(_ request: FetchRequest, from entity: EntityDescription, and path: [String] = []) {
    let conditions = request.predicate?.keyPaths ?? (own: [], hasOthers: false)
    hasOthers = conditions.hasOthers
    var seen: Set<[String]> = []
    for path in request.sortDescriptors.map(\.keyPath) + conditions.own + [path] {
      var step: EntityDescription? = entity
      var names: [String] = []
      var isToMany = false
      for name in path where !name.hasPrefix("@") {
        guard let relationship = step?.queryRelationship(named: name) else { break }
        names.append(name)
        isToMany = isToMany || relationship.isToMany
        step = relationship.destination
        if seen.insert(names).inserted { paths.append((names, isToMany, relationship.destination)) }
      }
    }
  }

  /// The root entities that are looked at.
  package func roots(from entity: EntityDescription) -> Set<EntityDescription> {
    hasOthers ? entity.reachableRoots : Set(paths.map(\.destination.root))
  }
}

extension EntityDescription {
  /// The root entities that relationships lead to from here, over any number of steps.
  fileprivate var reachableRoots: Set<EntityDescription> {
    var found: Set<EntityDescription> = []
    var waiting = hierarchy
    while let next = waiting.popLast() {
      for relationship in next.relationships where found.insert(relationship.destination.root).inserted {
        waiting += relationship.destination.root.hierarchy
      }
    }
    return found
  }
}
