import ObjectModel
import ObjectQuery
import StoreContract

/// Relationships without an inverse, which hear of nothing by themselves.
extension ManagedObjectContext {
  /// Empties the to-ones without an inverse that lead to objects that are being deleted, and takes back links to them that
  /// were never stored; stored links go with the row. A statement for each such to-one of the model that may lead
  /// to a stored object; none where the model has no such relationships.
  func emptyOneWay(to deleted: [ManagedObject]) throws {
    guard plans.hasOneWay else { return }
    for (root, own) in Dictionary(grouping: deleted, by: \.entity.root) {
      var toOnes: [Relationship] = []
      for entity in Set(own.map(\.entity)) {
        toOnes += entity.oneWayToOnes.filter { toOne in !toOnes.contains { $0 === toOne } }
      }
      let toManys = plans.oneWayToManys(to: root)
      if toOnes.isEmpty, toManys.isEmpty { continue }
      let references = Set(own.map(\.reference))
      try takeBack(references, toOnes, toManys)
      let stored = own.filter { !$0.state.contains(.gone) }.map(\.reference)
      if stored.isEmpty { continue }
      for toOne in toOnes where coordinator.hasStore(for: toOne.entity) {
        for holder in try holders(of: stored, toOne) where holder.changes?.value(toOne.slot) == nil {
          assign(holder, toOne, nil)
        }
      }
    }
  }

  /// What was set here and is not stored.
  private func takeBack(_ references: Set<Int64>, _ toOnes: [Relationship], _ toManys: [Relationship]) throws
  {
    oneWayHolders.removeAll { $0.state.isDisjoint(with: [.inserted, .updated]) }
    for holder in oneWayHolders where !holder.isDeleted {
      guard let changes = holder.changes else { continue }
      for toOne in toOnes where holder.entity.isKind(of: toOne.entity) {
        if case .reference(let target)? = changes.value(toOne.slot), references.contains(target) {
          assign(holder, toOne, nil)
        }
      }
      for toMany in toManys where holder.entity.isKind(of: toMany.entity) {
        for target in changes.knownToMany(toMany)?.added ?? [] where references.contains(target) {
          try removeTarget(target, from: holder, toMany)
        }
      }
    }
  }

  private func holders(of references: [Int64], _ toOne: Relationship) throws -> [ManagedObject] {
    let list = FetchExpression.list(references.map { .value(.reference($0)) })
    var request = FetchRequest(
      toOne.entity.name, where: .comparison(FetchComparison(.keyPath([toOne.name]), .in, list)))
    request.includesPendingChanges = false
    return try fetch(request).filter { !$0.isDeleted }
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
