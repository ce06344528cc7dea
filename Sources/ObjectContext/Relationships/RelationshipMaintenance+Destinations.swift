import ObjectModel
import StoreContract

/// One end of a to-many at a time; whoever calls sees to the other end.
extension RelationshipMaintenance {
  /// Puts a destination into a to-many, at an index or at the end; false when it is there already.
  ///
  /// - `isNew`: Whether the other end knows that it is not there.
  /// - `isKnown`: Whether the other end, of which nothing was changed yet, knows so.
  @discardableResult
  func addDestination(
    _ destination: Int64, to owner: ManagedObject, _ relationship: RelationshipDescription,
    at index: Int? = nil,
    isNew: Bool = false, isKnown: Bool = false
  ) throws -> Bool {
    let state = owner.toManyState(relationship)
    // Who may have to take it back has to know whether it was there; a place, and one that comes
    // back, need the others.
    let isMoved = relationship.isOrdered && (index != nil || state.removed.contains(destination))
    if !state.isLoaded,
      isMoved || recordsUndo || state.removed.contains(destination) && state.isDoubtful(destination)
    {
      try graph.faulting.load(state, of: owner)
    }
    if isNew {
      state.add(new: destination)
    } else if !state.add(destination, isKnown: isKnown) {
      return false
    }
    if let index, index < (state.current?.count ?? 0) - 1 { state.move(destination, to: index) }
    if notifications.isWatched { graph.record(.added(owner, relationship, destination), updating: owner) }
    tracker.recordUpdate(owner)
    if owner.reportsChanges { owner.valuesDidChange(at: relationship.index) }
    return true
  }

  /// Takes a destination out of a to-many.
  ///
  /// - `isKnown`: Whether the other end knows that it is there.
  func removeDestination(
    _ destination: Int64, from owner: ManagedObject, _ relationship: RelationshipDescription,
    isKnown: Bool = false
  ) throws {
    let state = owner.toManyState(relationship)
    if !state.isLoaded, recordsUndo || state.isDoubtful(destination) {
      try graph.faulting.load(state, of: owner, keeping: destination)
    }
    if state.lacks(destination) { return }
    // Only whoever may put it back wants to know where it stood.
    let index = relationship.isOrdered && recordsUndo ? state.index(of: destination) : nil
    state.remove(destination, isKnown: isKnown)
    if notifications.isWatched {
      graph.record(.removed(owner, relationship, destination, at: index), updating: owner)
    }
    tracker.recordUpdate(owner)
    if owner.reportsChanges { owner.valuesDidChange(at: relationship.index) }
  }

  /// Puts all destinations of a to-many into another order.
  func reorder(_ owner: ManagedObject, _ relationship: RelationshipDescription, _ order: [Int64]) throws {
    // An order is one value of the row, which others may change.
    try owner.readRow()
    let state = owner.toManyState(relationship)
    if !state.isLoaded { try graph.faulting.load(state, of: owner) }
    let old = Array(state.current ?? [])
    guard state.reorder(order) else { return }
    if notifications.isWatched { graph.record(.reordered(owner, relationship, old), updating: owner) }
    tracker.recordUpdate(owner)
    if owner.reportsChanges { owner.valuesDidChange(at: relationship.index) }
  }

  /// Puts one destination of a to-many into another place, which counts without it.
  func move(
    _ destination: Int64, in owner: ManagedObject, _ relationship: RelationshipDescription, to place: Int
  ) throws {
    try owner.readRow()
    let state = owner.toManyState(relationship)
    if !state.isLoaded { try graph.faulting.load(state, of: owner) }
    let old = notifications.isWatched ? state.index(of: destination) : nil
    guard state.move(destination, to: place) else { return }
    if let old { graph.record(.moved(owner, relationship, destination, from: old), updating: owner) }
    tracker.recordUpdate(owner)
  }
}
