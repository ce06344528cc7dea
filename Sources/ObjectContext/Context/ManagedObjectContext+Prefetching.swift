import ObjectModel
import StoreContract

extension ManagedObjectContext {
  /// Reads what relationships of objects lead to, each step of a key path for all objects at once.
  func prefetch(_ keyPaths: [String], of objects: [ManagedObject], _ entity: Entity) throws {
    for path in keyPaths {
      var batch = objects.count == 1 ? single(objects[0]) : objects.first?.batch
      var entity = entity
      for name in path.keyPathNames() {
        guard let relationship = entity.relationship(named: name) else {
          throw ContextError(.unknownName, "\(entity.name) has no relationship \(name) to prefetch")
        }
        if let sources = batch, !sources.references.isEmpty {
          batch = try prefetch(relationship, of: sources)
        }
        entity = relationship.destination
      }
    }
  }

  private func single(_ object: ManagedObject) -> FetchBatch {
    let batch = object.batch ?? FetchBatch(object.entity.root, [object.reference], generation: generation)
    object.batch = batch
    return batch
  }

  /// The batch of all targets, with their rows; nil when there are none.
  private func prefetch(_ relationship: Relationship, of sources: FetchBatch) throws -> FetchBatch? {
    if relationship.isTransient { return nil }
    if !relationship.isToMany {
      guard let targets = toOneBatch(sources, relationship) else { return nil }
      try fire(targets)
      return targets
    }
    if let known = sources.knownTargets(relationship, generation: generation) {
      try fire(known)
      return known
    }
    let found = try source.newTargets(for: relationship, of: sources.references)
    let batch = FetchBatch(relationship, found.targets, generation: generation)
    batch.keep(found.nodes)
    sources.keep(relationship, found.targets, batch, generation: generation)
    for case .some(let node) in found.nodes {
      if let known = registered(relationship.destination, node.reference) { adopt(node, known) }
    }
    return batch
  }
}
