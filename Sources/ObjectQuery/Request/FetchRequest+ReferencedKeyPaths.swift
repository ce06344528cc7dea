package import ObjectModel

/// The relationships that a request's predicates and sort descriptors read.
package struct ReferencedKeyPaths {
  /// The relationships, in one step or several, with the entity at their end.
  package private(set) var paths: [(names: [String], isToMany: Bool, destination: EntityDescription)] = []
  /// Whether there are others, inside subqueries or after indexes, that may read any entity.
  package let hasOthers: Bool

  /// - `path`: Another path that counts.
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

  /// The root entities that the request reads.
  package func roots(from entity: EntityDescription) -> Set<EntityDescription> {
    hasOthers ? entity.reachableRoots : Set(paths.map(\.destination.root))
  }
}

extension EntityDescription {
  /// The root entities that are reachable by relationships, over any number of steps.
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
