import ObjectModel
import ObjectQuery
import StoreContract

/// A context as its children see it: what is stored, with the parent's unsaved changes on top.
final class ParentContext: ContextSource {
  // A child holds its parent, so it is there as long as this is used.
  private unowned let parent: ManagedObjectContext

  init(_ parent: ManagedObjectContext) { self.parent = parent }

  private func isDeleted(_ destination: Int64, _ relationship: RelationshipDescription) -> Bool {
    !parent.tracker.deleted.isEmpty
      && parent.registry.object(relationship.destination, destination)?.isDeleted == true
  }

  /// Whether what the parent itself reads from may have the object.
  private func isBelow(_ reference: Int64) -> Bool { reference > 0 || parent.parent != nil }

  func fetch(_ request: FetchRequest, lookup: (any NodeLookup)?) throws -> StoreResult {
    guard try parent.isTouched(request), request.resultType != .dictionaries else {
      // A child's rows may have changes of its parent's in them, so they are none of the store's.
      return try parent.source.fetch(request, lookup: parent.lookup(request))
    }
    var objects = request
    objects.resultType = .objects
    objects.propertiesToFetch = nil
    objects.returnsObjectsAsFaults = false
    objects.fetchBatchSize = 0
    let found = try parent.fetch(objects)
    switch request.resultType {
    case .count: return .count(found.count)
    case .objectIDs: return .objectIDs(found.map(\.objectID))
    default: return .nodes(try found.map { try parent.currentNode($0) })
    }
  }

  func newValues(for references: [Int64], of entity: EntityDescription) throws -> [IncrementalStoreNode?] {
    var nodes = [IncrementalStoreNode?](repeating: nil, count: references.count)
    var places: [Int] = []
    var wanted: [Int64] = []
    for (place, reference) in references.enumerated() {
      let known = parent.registry.object(entity, reference)
      if let known, known.state.contains(.deleted) { continue }
      if let known, !known.isFault {
        nodes[place] = try parent.currentNode(known)
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
    return try parent.currentNode(known)
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
    let unchanged = references.filter { isBelow($0) && changed($0) == nil }
    let stored =
      unchanged.isEmpty
      ? RelationshipDestinations() : try parent.source.newValues(for: relationship, of: unchanged)
    let isPolymorphic = relationship.destination.hasSubentities
    var place = 0
    var result = RelationshipDestinations()
    for reference in references {
      if let known = changed(reference) {
        for destination in try known.destinations(relationship) where !destination.isDeleted {
          if isPolymorphic {
            result.append(destination.reference, entityIndex: destination.entity.index)
          } else {
            result.append(destination.reference)
          }
        }
      } else if isBelow(reference) {
        for (offset, destination) in zip(stored.offsets[place]..., stored.destinations(at: place))
        where !isDeleted(destination, relationship) {
          if isPolymorphic {
            result.append(destination, entityIndex: Int(stored.entityIndices[offset]))
          } else {
            result.append(destination)
          }
        }
        place += 1
      }
      result.endSource()
    }
    return result
  }

  /// What is stored, past the parent's changes.
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

extension ManagedObjectContext {
  /// What children see as the stored row of an object: its row, with its changes written into it.
  func currentNode(_ object: ManagedObject) throws -> IncrementalStoreNode {
    let row = object.isInserted ? nil : try object.row()
    guard let changes = object.changes, !changes.changed.isEmpty else {
      if let row { return row }
      throw ContextError(
        .objectNotFound, "\(object.entity.name) \(object.objectID) is no longer in its context")
    }
    let plan = plans[object.entity]
    let builder = NodeBuilder()
    builder.begin(fieldCount: plan.fields.count)
    for (field, step) in plan.fields.enumerated() {
      guard let value = changes.value(step.index), !step.isDerived || row == nil else {
        if let row { builder.copy(field, from: row, isBytes: step.isBytes) }
        continue
      }
      if case .reference(let reference) = value {
        builder.set(field, integer: reference)
      } else {
        try builder.set(field, value, type: step.type) { plan.attributes[field] }
      }
    }
    return builder.finish(object.storeEntity, reference: object.reference, version: row?.version ?? 0)
  }
}
