import ObjectModel

/// One change of one object, with the values that undo it.
enum UndoStep {
  /// A property was set; `old` is its former value.
  case set(ManagedObject, index: Int, old: AttributeValue)
  /// A destination was added to a to-many.
  case added(ManagedObject, RelationshipDescription, Int64)
  /// A destination was removed from a to-many, with its index if that is known.
  case removed(ManagedObject, RelationshipDescription, Int64, at: Int?)
  /// A destination of a to-many was moved from an index.
  case moved(ManagedObject, RelationshipDescription, Int64, from: Int)
  /// A to-many was reordered; the references are its former order.
  case reordered(ManagedObject, RelationshipDescription, [Int64])
  case inserted(ManagedObject)
  /// A new object was deleted before it was saved.
  case discarded(ManagedObject)
  case deleted(ManagedObject)
  case undeleted(ManagedObject)

  /// The entity of the objects that the step's reference numbers identify.
  private var destination: EntityDescription? {
    switch self {
    case .set(let object, let index, _):
      if case .relationship(let relationship) = object.entity.properties[index] {
        relationship.destination
      } else {
        nil
      }
    case .added(_, let relationship, _), .removed(_, let relationship, _, _),
      .moved(_, let relationship, _, _),
      .reordered(_, let relationship, _):
      relationship.destination
    default: nil
    }
  }

  var object: ManagedObject {
    switch self {
    case .set(let object, _, _), .added(let object, _, _), .removed(let object, _, _, _),
      .moved(let object, _, _, _), .reordered(let object, _, _), .inserted(let object),
      .discarded(let object),
      .deleted(let object),
      .undeleted(let object):
      object
    }
  }

  /// Replaces reference numbers by others.
  ///
  /// - `root`: The root entity of the renamed objects; nil for temporary numbers, which are unique
  ///   over all entities.
  mutating func rename(_ permanent: RenamedReferences, root: EntityDescription?) {
    if let root, destination?.root !== root { return }
    switch self {
    case .set(let object, let index, .reference(let old)):
      if let new = permanent[old] { self = .set(object, index: index, old: .reference(new)) }
    case .added(let object, let relationship, let old):
      if let new = permanent[old] { self = .added(object, relationship, new) }
    case .removed(let object, let relationship, let old, let index):
      if let new = permanent[old] { self = .removed(object, relationship, new, at: index) }
    case .moved(let object, let relationship, let old, let index):
      if let new = permanent[old] { self = .moved(object, relationship, new, from: index) }
    case .reordered(let object, let relationship, let order):
      self = .reordered(object, relationship, order.map { permanent[$0] ?? $0 })
    case .inserted(let object), .discarded(let object), .deleted(let object), .undeleted(let object):
      // Those in the context are renamed with it.
      if root == nil, object.graph == nil { object.changes?.rename(permanent) }
    case .set: break
    }
  }
}
