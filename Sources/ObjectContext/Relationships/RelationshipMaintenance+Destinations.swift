import ObjectModel
import StoreContract

/// Changes to a to-many without its inverse; the caller updates the inverse.
extension RelationshipMaintenance {
  /// Adds a destination to a to-many, at an index or last; returns false if it is there already.
  ///
  /// - `isNew`: Whether the inverse proves that the to-many does not contain the destination.
  /// - `isKnown`: Whether the inverse, which was not changed yet, proves the same.
  @discardableResult
  func addDestination(
    _ destination: Int64, to owner: ManagedObject, _ relationship: RelationshipDescription,
    state known: ToManyState? = nil, at index: Int? = nil, isNew: Bool = false, isKnown: Bool = false
  ) throws -> Bool {
    let state = known ?? owner.toManyState(relationship)
    // Undo has to know whether the to-many contained the destination. An index, or a removed
    // destination that is added to an ordered to-many again, requires the other destinations.
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

  /// Removes a destination from a to-many.
  ///
  /// - `isKnown`: Whether the inverse proves that the to-many contains the destination.
  func removeDestination(
    _ destination: Int64, from owner: ManagedObject, _ relationship: RelationshipDescription,
    isKnown: Bool = false
  ) throws {
    let state = owner.toManyState(relationship)
    if !state.isLoaded, recordsUndo || state.isDoubtful(destination) {
      try graph.faulting.load(state, of: owner, keeping: destination)
    }
    if state.lacks(destination) { return }
    // Only undo needs the former index.
    let index = relationship.isOrdered && recordsUndo ? state.index(of: destination) : nil
    state.remove(destination, isKnown: isKnown)
    if notifications.isWatched {
      graph.record(.removed(owner, relationship, destination, at: index), updating: owner)
    }
    tracker.recordUpdate(owner)
    if owner.reportsChanges { owner.valuesDidChange(at: relationship.index) }
  }

  /// Reorders all destinations of a to-many.
  func reorder(_ owner: ManagedObject, _ relationship: RelationshipDescription, _ order: [Int64]) throws {
    // The order is one value of the row, which other contexts may change.
    try owner.readRow()
    let state = owner.toManyState(relationship)
    if !state.isLoaded { try graph.faulting.load(state, of: owner) }
    let old = Array(state.current ?? [])
    guard state.reorder(order) else { return }
    if notifications.isWatched { graph.record(.reordered(owner, relationship, old), updating: owner) }
    tracker.recordUpdate(owner)
    if owner.reportsChanges { owner.valuesDidChange(at: relationship.index) }
  }

  /// Moves one destination of a to-many to an index among the other destinations.
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
