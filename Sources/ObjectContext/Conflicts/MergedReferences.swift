import ObjectModel

/// The objects that were merged into other objects, by root entity.
struct MergedReferences {
  /// The final reference number of each merged object.
  private(set) var byRoot: [EntityDescription: [Int64: Int64]] = [:]

  mutating func add(_ old: Int64, of entity: EntityDescription, _ new: Int64) {
    if old != new { byRoot[entity.root, default: [:]][old] = new }
  }

  /// The final reference number of a merged object; nil if the object was not merged.
  func callAsFunction(_ reference: Int64, of entity: EntityDescription) -> Int64? {
    byRoot[entity.root]?[reference]
  }

  /// Makes an object's relationships without an inverse refer to the objects that remain.
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
