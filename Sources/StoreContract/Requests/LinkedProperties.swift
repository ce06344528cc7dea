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

  private var objects: [(key: Key, properties: PropertyIndexSet)] = []
  /// Where each object is; empty while they are few, which are found sooner one by one.
  private var places: [Key: Int] = [:]
  private static let few = 8

  package init() {}

  /// Those of objects that a save neither inserts nor deletes: these are changed whole.
  package init(_ save: SaveChangesRequest) {
    if save.relationshipChanges.isEmpty { return }
    let new = Self.newNumbers(save.inserted)
    for change in save.relationshipChanges { add(change, new) }
    for node in save.inserted { _ = remove(node.entity, node.reference) }
    for lock in save.deleted { _ = remove(lock.objectID.entity, lock.objectID.reference) }
  }

  /// The objects with the indexes of their relationships, ordered by hierarchy and number.
  package var sorted: [(key: Key, properties: PropertyIndexSet)] {
    objects.filter { !$0.properties.isEmpty }.sorted {
      ($0.key.root, $0.key.reference) < ($1.key.root, $1.key.reference)
    }
  }

  /// Adds a relationship by its index.
  package mutating func insert(_ index: Int, of key: Key) {
    if let place = place(of: key) {
      objects[place].properties.insert(index)
      return
    }
    var properties = PropertyIndexSet()
    properties.insert(index)
    if objects.count == Self.few { for (place, one) in objects.enumerated() { places[one.key] = place } }
    if objects.count >= Self.few { places[key] = objects.count }
    objects.append((key, properties))
  }

  private func place(of key: Key) -> Int? {
    places.isEmpty ? objects.firstIndex { $0.key == key } : places[key]
  }

  /// The new objects of a hierarchy.
  private struct NewNumbers {
    var least = Int64.max
    var greatest = Int64.min
    var count: Int64 = 0

    /// Whether a number is known to be one of them: they follow each other, as they mostly do.
    func contains(_ number: Int64) -> Bool {
      number >= least && number <= greatest && greatest - least + 1 == count
    }
  }

  /// By the index of the root entity.
  private static func newNumbers(_ nodes: [IncrementalStoreNode]) -> [NewNumbers] {
    var found: [NewNumbers] = []
    for node in nodes {
      let (root, number) = (node.entity.root.index, node.reference)
      while found.count <= root { found.append(NewNumbers()) }
      found[root].least = min(found[root].least, number)
      found[root].greatest = max(found[root].greatest, number)
      found[root].count += 1
    }
    return found
  }

  private mutating func add(_ change: RelationshipChanges, _ new: [NewNumbers]) {
    let owner = change.relationship
    let (sources, destinations) = (owner.entity.root.index, owner.destination.root.index)
    let newSources = sources < new.count ? new[sources] : NewNumbers()
    let newDestinations = destinations < new.count ? new[destinations] : NewNumbers()
    for rows in [change.added, change.removed] {
      for row in rows {
        if !newSources.contains(row.source) { add(sources, row.source, owner) }
        if let inverse = owner.inverse, !newDestinations.contains(row.destination) {
          add(destinations, row.destination, inverse)
        }
      }
    }
    for (source, _) in change.orders { add(sources, source, owner) }
    guard let inverse = owner.inverse else { return }
    for (source, _) in change.inverseOrders { add(destinations, source, inverse) }
  }

  private mutating func add(_ root: Int, _ reference: Int64, _ relationship: RelationshipDescription) {
    insert(relationship.index, of: Key(root: root, reference: reference))
  }

  /// Takes out the relationships of an object; nil where it has none.
  package mutating func remove(_ entity: EntityDescription, _ reference: Int64) -> PropertyIndexSet? {
    guard !objects.isEmpty, let place = place(of: Key(root: entity.root.index, reference: reference))
    else { return nil }
    let properties = objects[place].properties
    objects[place].properties = .init()
    return properties.isEmpty ? nil : properties
  }
}
