import ObjectModel
import ObjectQuery
import StoreContract

/// Relationships without an inverse, which hear of nothing by themselves.
extension RelationshipMaintenance {
  /// Empties the to-ones without an inverse that lead to objects that are being deleted, and takes
  /// back links to them that were never stored; stored links go with the row.
  ///
  /// A statement for each such to-one of the model that may lead to a stored object, for the whole
  /// batch that object came with; none where the model has no such relationships.
  func nullifyUnidirectional(to deleted: [ManagedObject]) throws {
    guard plans.hasUnidirectional else { return }
    for (root, own) in Dictionary(grouping: deleted, by: \.entity.root) {
      let toManys = plans.unidirectionalToManys(to: root)
      if root.unidirectionalToOnes.isEmpty, toManys.isEmpty { continue }
      try revertRelationships(to: Set(own.map(\.reference)), root.unidirectionalToOnes, toManys)
      let stored = own.filter { !$0.state.contains(.deletedInStore) }
      if stored.isEmpty { continue }
      for toOne in root.unidirectionalToOnes where toOne.deleteRule != .noAction {
        guard persistentStoreCoordinator.hasStore(for: toOne.entity) else { continue }
        for node in try holders(of: stored, toOne) {
          let holder =
            registry.object(node.entity, node.reference)
            ?? graph.make(node.storeEntity, node.reference, node, nil)
          graph.fetching.adopt(node, holder)
          if !holder.isDeleted, holder.changes?.value(toOne.index) == nil { try assign(holder, toOne, nil) }
        }
      }
    }
  }

  /// What was set here and is not stored.
  private func revertRelationships(
    to references: Set<Int64>, _ toOnes: [RelationshipDescription], _ toManys: [RelationshipDescription]
  ) throws {
    tracker.sweepUnidirectionalHolders()
    for holder in tracker.unidirectionalHolders where !holder.isDeleted {
      guard let changes = holder.changes else { continue }
      for toOne in toOnes where holder.entity.isKind(of: toOne.entity) {
        guard case .reference(let destination)? = changes.value(toOne.index), references.contains(destination)
        else {
          continue
        }
        // Without action what is stored stays as it is.
        if toOne.deleteRule == .noAction, holder.node?.reference(toOne.field) == destination { continue }
        try assign(holder, toOne, nil)
      }
      for toMany in toManys where holder.entity.isKind(of: toMany.entity) {
        for destination in changes.knownToMany(toMany)?.added ?? [] where references.contains(destination) {
          try removeDestination(destination, from: holder, toMany)
        }
      }
    }
  }

  /// The rows that lead to objects.
  ///
  /// Those of one object are asked for along with those of its batch.
  private func holders(of objects: [ManagedObject], _ toOne: RelationshipDescription) throws
    -> [IncrementalStoreNode]
  {
    guard objects.count == 1, let batch = objects[0].batch, batch.references.count > 1 else {
      return try holders(of: objects.map(\.reference), toOne)
    }
    return try batch.holders(of: objects[0].reference, toOne, generation: tracker.generation) {
      try holders(of: $0, toOne)
    }
  }

  private func holders(of references: [Int64], _ toOne: RelationshipDescription) throws
    -> [IncrementalStoreNode]
  {
    let request = FetchRequest(toOne.entity.name, where: .references(toOne, to: references))
    // Not by a fetch of this context's, which would take in what others did in the middle of a
    // deletion.
    return try source.fetchNodes(request, lookup: nil)
  }

  /// Has the to-ones without an inverse lead to an object again that is not to be deleted after
  /// all, as far as nothing else was done to them since.
  func restoreUnidirectional(to object: ManagedObject) throws {
    if object.entity.unidirectionalToOnes.isEmpty { return }
    for holder in tracker.unidirectionalHolders where holder.isUpdated && !holder.isDeleted {
      for toOne in object.entity.unidirectionalToOnes where holder.entity.isKind(of: toOne.entity) {
        if holder.changes?.value(toOne.index) == .null,
          holder.node?.reference(toOne.field) == object.reference
        {
          try release(holder, toOne)
        }
      }
    }
  }
}
