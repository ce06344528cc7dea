import ObjectModel
import ObjectQuery
import StoreContract

extension FetchOperation {
  /// Prefetches a request's relationship key paths, each step for all objects at once.
  ///
  /// If the objects are fetched by pages, it prefetches for the first page.
  func prefetch(for request: FetchRequest, of objects: [ManagedObject], _ entity: EntityDescription) throws {
    let wanted = request.fetchBatchSize > 0 ? objects.prefix(request.fetchBatchSize) : objects[...]
    let sources = common(wanted)
    for path in request.relationshipKeyPathsForPrefetching {
      var batch = sources
      var entity = entity
      for name in path.keyPathNames() {
        guard let relationship = entity.relationship(named: name) else {
          throw ContextError(.unknownKey, "\(entity.name) has no relationship \(name) to prefetch")
        }
        if let sources = batch, !sources.references.isEmpty {
          batch = try prefetch(relationship, of: sources)
        }
        entity = relationship.destination
      }
    }
  }

  /// The common batch of the stored objects, in which they find prefetched rows; nil if there are
  /// none.
  private func common(_ objects: ArraySlice<ManagedObject>) -> FetchBatch? {
    let stored = objects.filter { !$0.isInserted }
    guard let first = stored.first else { return nil }
    let whole = stored.lazy.compactMap(\.batch).first { $0.references.count == stored.count }
    if let whole, stored.allSatisfy({ $0.batch === whole }) { return whole }
    if let whole, stored.allSatisfy({ whole.place($0.reference, hint: nil) != nil }) {
      for object in stored where !isPartial(object) { object.batch = whole }
      return whole
    }
    let own = stored.filter { !isPartial($0) }
    let batch = FetchBatch(first.entity.root, own.map(\.reference), generation: tracker.generation)
    for (place, object) in own.enumerated() {
      if let node = object.batch?.node(object.reference, generation: tracker.generation) {
        batch.keep(node, at: place)
      }
      object.batch = batch
    }
    return batch
  }

  /// Whether an object's batch has parts of rows, which belong to no other batch.
  private func isPartial(_ object: ManagedObject) -> Bool {
    object.batch?.isPartial(generation: tracker.generation) == true
  }

  /// Whether the destination of a to-one is known for all objects of a batch.
  private func knows(_ sources: FetchBatch, _ toOne: RelationshipDescription) -> Bool {
    sources.references.enumerated().allSatisfy { place, reference in
      registry.object(sources.entity, reference)?.node != nil
        || sources.node(at: place, generation: tracker.generation) != nil
        || sources.partialNode(reference, field: toOne.field, generation: tracker.generation) != nil
    }
  }

  /// The batch of all destinations, with their rows; nil when there are none.
  private func prefetch(_ relationship: RelationshipDescription, of sources: FetchBatch) throws -> FetchBatch?
  {
    if relationship.isTransient { return nil }
    if !relationship.isToMany {
      if !knows(sources, relationship) { try graph.faulting.fire(sources) }
      guard let destinations = graph.faulting.toOneBatch(sources, relationship) else { return nil }
      try graph.faulting.fire(destinations)
      return destinations
    }
    if let known = sources.knownDestinations(relationship, generation: tracker.generation) {
      try graph.faulting.fire(known)
      return known
    }
    let found = try source.newDestinations(for: relationship, of: sources.references)
    let batch = FetchBatch(relationship, found.destinations, generation: tracker.generation)
    batch.keep(found.nodes)
    sources.keep(relationship, found.destinations, batch, generation: tracker.generation)
    for case .some(let node) in found.nodes {
      if let known = registry.object(relationship.destination, node.reference) { adopt(node, known) }
    }
    return batch
  }
}
