import ObjectModel
import ObjectQuery
import StoreContract

/// The source of child contexts: the stored rows with the parent's pending changes applied.
final class ParentSource: ContextSource {
  // A child holds its parent, so it is there as long as this is used.
  private unowned let parent: ObjectGraph

  init(_ parent: ObjectGraph) { self.parent = parent }

  private func isDeleted(_ destination: Int64, _ relationship: RelationshipDescription) -> Bool {
    !parent.tracker.deleted.isEmpty
      && parent.registry.object(relationship.destination, destination)?.isDeleted == true
  }

  /// Whether what the parent itself reads from may have the object.
  private func isBelow(_ reference: Int64) -> Bool { reference > 0 || parent.parent != nil }

  func fetchNodes(_ request: FetchRequest, lookup: (any NodeLookup)?) throws -> [IncrementalStoreNode] {
    guard try parent.fetching.pendingChanges(request) != nil else {
      // The child's lookup has nodes with the parent's changes in them, which no store row equals.
      return try parent.source.fetchNodes(request, lookup: parent.fetching.lookup(request))
    }
    return try parentsObjects(request).map { try parent.faulting.currentNode($0) }
  }

  func fetchObjectIDs(_ request: FetchRequest) throws -> [ManagedObjectID] {
    if try parent.fetching.pendingChanges(request) == nil { return try parent.source.fetchObjectIDs(request) }
    return try parentsObjects(request).map(\.objectID)
  }

  func count(for request: FetchRequest) throws -> Int {
    if try parent.fetching.pendingChanges(request) == nil { return try parent.source.count(for: request) }
    return try parentsObjects(request).count
  }

  func fetchDictionaries(_ request: FetchRequest) throws -> [[String: AttributeValue]] {
    try parent.source.fetchDictionaries(request)
  }

  /// The parent's objects that match a request, including its pending changes.
  private func parentsObjects(_ request: FetchRequest) throws -> [ManagedObject] {
    var objects = request.returning(.objects)
    objects.propertiesToFetch = nil
    objects.returnsObjectsAsFaults = false
    objects.fetchBatchSize = 0
    return try parent.fetching.fetch(objects)
  }

  func newValues(for references: [Int64], of entity: EntityDescription) throws -> [IncrementalStoreNode?] {
    var nodes = [IncrementalStoreNode?](repeating: nil, count: references.count)
    var places: [Int] = []
    var wanted: [Int64] = []
    for (place, reference) in references.enumerated() {
      let known = parent.registry.object(entity, reference)
      if let known, known.state.contains(.deleted) { continue }
      if let known, !known.isFault {
        nodes[place] = try parent.faulting.currentNode(known)
      } else if isBelow(reference) {
        places.append(place)
        wanted.append(reference)
      }
    }
    if wanted.isEmpty { return nodes }
    for (place, node) in zip(places, try parent.source.newValues(for: wanted, of: entity)) {
      nodes[place] = node
    }
    return nodes
  }

  func wholeValues(for reference: Int64, of entity: EntityDescription) throws -> IncrementalStoreNode? {
    guard let known = parent.registry.object(entity, reference), !known.isFault else {
      return isBelow(reference) ? try parent.source.wholeValues(for: reference, of: entity) : nil
    }
    if known.state.contains(.deletedInStore) { return nil }
    for attribute in known.entity.attributes where attribute.isExternal {
      _ = try known.slotValue(.attribute(attribute))
    }
    return try parent.faulting.currentNode(known)
  }

  func newValues(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> RelationshipDestinations
  {
    // The parent's own changes stand in registered objects; everything else is asked for at once.
    func changed(_ reference: Int64) -> ManagedObject? {
      guard let known = parent.registry.object(relationship.entity, reference),
        known.isInserted || known.changes?.knownToMany(relationship)?.hasChanges == true
      else { return nil }
      return known
    }
    // Decided once: reading one object's destinations can end the changes of another.
    let owners = references.map(changed)
    let unchanged = zip(references, owners).filter { isBelow($0) && $1 == nil }.map(\.0)
    let stored =
      unchanged.isEmpty
      ? RelationshipDestinations() : try parent.source.newValues(for: relationship, of: unchanged)
    let isPolymorphic = relationship.destination.hasSubentities
    var index = 0
    var result = RelationshipDestinations()
    func append(_ reference: Int64, _ entity: @autoclosure () -> Int) {
      if isPolymorphic {
        result.append(reference, entityIndex: entity())
      } else {
        result.append(reference)
      }
    }
    for (reference, owner) in zip(references, owners) {
      if let owner {
        for destination in try owner.destinations(relationship) where !destination.isDeleted {
          append(destination.reference, destination.entity.index)
        }
      } else if isBelow(reference) {
        for (offset, destination) in zip(stored.offsets[index]..., stored.destinations(at: index))
        where !isDeleted(destination, relationship) {
          append(destination, Int(stored.entityIndices[offset]))
        }
        index += 1
      }
      result.endSource()
    }
    return result
  }

  /// The stored values, without the parent's changes.
  func openValue(of attribute: AttributeDescription, of id: ManagedObjectID) throws -> ValueReader? {
    try parent.source.openValue(of: attribute, of: id)
  }

  func newDestinations(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> DestinationNodes
  {
    let destinations = try newValues(for: relationship, of: references)
    return DestinationNodes(
      destinations: destinations,
      nodes: try newValues(for: destinations.references, of: relationship.destination))
  }
}
