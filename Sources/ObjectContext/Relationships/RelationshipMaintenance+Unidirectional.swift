import ObjectModel
import ObjectQuery
import StoreContract

/// Maintenance of relationships without an inverse when their destinations are deleted.
extension RelationshipMaintenance {
  /// Clears the relationships without an inverse that refer to objects that are being deleted.
  ///
  /// To-ones are set to nil, and added destinations that were never stored are removed from
  /// to-manys; stored join table rows are deleted with the object's row. This takes one statement
  /// for each to-one without an inverse that may refer to a stored object, for the whole batch with
  /// which that object was fetched; none if the model has no relationships without an inverse.
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
          if holder.isDeleted || holder.changes?.value(toOne.index) != nil { continue }
          try assign(holder, toOne, nil)
          // Its changes are based on an older row, which may have nothing there to clear.
          if holder.node?.version != node.version { tracker.lock(holder) }
        }
      }
    }
  }

  /// Reverts references to deleted objects that this context set.
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
        // The rule no action leaves a stored reference unchanged.
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

  /// The rows that refer to objects.
  ///
  /// For a single object, the rows for its whole fetch batch are read in one statement.
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
    // A fetch of this context would merge changes of other contexts during the deletion.
    return try source.fetchNodes(request, lookup: nil)
  }

  /// Restores the to-ones without an inverse that the reverted deletion of an object had cleared.
  ///
  /// A to-one that was set to another destination since then stays.
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
