import ObjectModel

/// Which objects became others, by root entity.
struct MergedReferences {
  /// What each number is in the end.
  private(set) var byRoot: [EntityDescription: [Int64: Int64]] = [:]

  mutating func add(_ old: Int64, of entity: EntityDescription, _ new: Int64) {
    if old != new { byRoot[entity.root, default: [:]][old] = new }
  }

  /// What an object is in the end; nil when it is itself.
  func callAsFunction(_ reference: Int64, of entity: EntityDescription) -> Int64? {
    byRoot[entity.root]?[reference]
  }

  /// Has relationships without an inverse, which do not hear of it otherwise, lead to what objects
  /// became.
  func apply(to object: ManagedObject) {
    if byRoot.isEmpty { return }
    for relationship in object.entity.relationships where relationship.inverse == nil {
      guard let own = byRoot[relationship.destination.root] else { continue }
      if relationship.isToMany {
        object.changes?.knownToMany(relationship)?.replace { own[$0] }
      } else if case .reference(let old)? = object.changes?.value(relationship.index), let new = own[old] {
        object.setSlot(relationship.index, .reference(new))
      }
    }
  }
}
