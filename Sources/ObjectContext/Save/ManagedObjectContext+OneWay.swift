import ObjectModel
import ObjectQuery
import StoreContract

/// Relationships without an inverse, which hear of nothing by themselves.
extension ManagedObjectContext {
  /// Empties the to-ones without an inverse that lead to objects that are being deleted, and takes back links to them that
  /// were never stored; stored links go with the row. A statement for each such to-one of the model that may lead to a
  /// stored object, for the whole batch that object came with; none where the model has no such relationships.
  func emptyOneWay(to deleted: [ManagedObject]) throws {
    guard plans.hasOneWay else { return }
    for (root, own) in Dictionary(grouping: deleted, by: \.entity.root) {
      let toManys = plans.oneWayToManys(to: root)
      if root.oneWayToOnes.isEmpty, toManys.isEmpty { continue }
      try takeBackLinks(to: Set(own.map(\.reference)), root.oneWayToOnes, toManys)
      let stored = own.filter { !$0.state.contains(.gone) }
      if stored.isEmpty { continue }
      for toOne in root.oneWayToOnes where toOne.deleteRule != .noAction {
        guard coordinator.hasStore(for: toOne.entity) else { continue }
        for node in try holders(of: stored, toOne) {
          let holder =
            registered(node.entity, node.reference) ?? make(node.storeEntity, node.reference, node, nil)
          adopt(node, holder)
          if !holder.isDeleted, holder.changes?.value(toOne.slot) == nil { try assign(holder, toOne, nil) }
        }
      }
    }
  }

  /// What was set here and is not stored.
  private func takeBackLinks(
    to references: Set<Int64>, _ toOnes: [Relationship], _ toManys: [Relationship]
  ) throws {
    oneWayHolders.removeAll { $0.state.isDisjoint(with: [.inserted, .updated]) }
    for holder in oneWayHolders where !holder.isDeleted {
      guard let changes = holder.changes else { continue }
      for toOne in toOnes where holder.entity.isKind(of: toOne.entity) {
        guard case .reference(let target)? = changes.value(toOne.slot), references.contains(target) else {
          continue
        }
        // Without action what is stored stays as it is.
        if toOne.deleteRule == .noAction, holder.node?.target(toOne.field) == target { continue }
        try assign(holder, toOne, nil)
      }
      for toMany in toManys where holder.entity.isKind(of: toMany.entity) {
        for target in changes.knownToMany(toMany)?.added ?? [] where references.contains(target) {
          try removeTarget(target, from: holder, toMany)
        }
      }
    }
  }

  /// The rows that lead to objects. Those of one object are asked for along with those of its batch.
  private func holders(of objects: [ManagedObject], _ toOne: Relationship) throws -> [IncrementalStoreNode] {
    guard objects.count == 1, let batch = objects[0].batch, batch.references.count > 1 else {
      return try holders(of: objects.map(\.reference), toOne)
    }
    return try batch.holders(of: objects[0].reference, toOne, generation: generation) {
      try holders(of: $0, toOne)
    }
  }

  private func holders(of references: [Int64], _ toOne: Relationship) throws -> [IncrementalStoreNode] {
    let request = FetchRequest(toOne.entity.name, where: .leads(toOne, to: references))
    // Not by a fetch of this context's, which would take in what others did in the middle of a deletion.
    guard case .nodes(let nodes) = try source.fetch(request, lookup: nil) else { return [] }
    return nodes
  }

  /// Has the to-ones without an inverse lead to an object again that is not to be deleted after all, as far as nothing
  /// else was done to them since.
  func restoreOneWay(to object: ManagedObject) throws {
    if object.entity.oneWayToOnes.isEmpty { return }
    for holder in oneWayHolders where holder.isUpdated && !holder.isDeleted {
      for toOne in object.entity.oneWayToOnes where holder.entity.isKind(of: toOne.entity) {
        if holder.changes?.value(toOne.slot) == .null, holder.node?.target(toOne.field) == object.reference {
          try release(holder, toOne)
        }
      }
    }
  }
}
