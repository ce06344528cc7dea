import ObjectModel
import StoreContract

/// One end of a to-many at a time; whoever calls sees to the other end.
extension ManagedObjectContext {
  /// Puts a target into a to-many, at an index or at the end; false when it is there already.
  /// - Parameters:
  ///   - isNew: Whether the other end knows that it is not there.
  ///   - isKnown: Whether the other end, of which nothing was changed yet, knows so.
  @discardableResult
  func addTarget(
    _ target: Int64, to owner: ManagedObject, _ relationship: Relationship, at index: Int? = nil,
    isNew: Bool = false, isKnown: Bool = false
  ) throws -> Bool {
    let state = owner.toManyState(relationship)
    // Who may have to take it back has to know whether it was there; a place, and one that comes back, need the others.
    let isMoved = relationship.isOrdered && (index != nil || state.removed.contains(target))
    if !state.isLoaded,
      isMoved || recordsUndo || state.removed.contains(target) && state.isDoubtful(target)
    {
      try load(state, of: owner)
    }
    if isNew {
      state.add(new: target)
    } else if !state.add(target, isKnown: isKnown) {
      return false
    }
    if let index, index < (state.current?.count ?? 0) - 1 { state.move(target, to: index) }
    if isWatched { record(.added(owner, relationship, target), updating: owner) }
    noteUpdated(owner)
    if owner.tellsOfChanges { owner.valuesDidChange(at: relationship.slot) }
    return true
  }

  /// Takes a target out of a to-many.
  /// - Parameter isKnown: Whether the other end knows that it is there.
  func removeTarget(
    _ target: Int64, from owner: ManagedObject, _ relationship: Relationship, isKnown: Bool = false
  ) throws {
    let state = owner.toManyState(relationship)
    if !state.isLoaded, recordsUndo || state.isDoubtful(target) {
      try load(state, of: owner, keeping: target)
    }
    if state.lacks(target) { return }
    // Only whoever may put it back wants to know where it stood.
    let index = relationship.isOrdered && recordsUndo ? state.index(of: target) : nil
    state.remove(target, isKnown: isKnown)
    if isWatched { record(.removed(owner, relationship, target, at: index), updating: owner) }
    noteUpdated(owner)
    if owner.tellsOfChanges { owner.valuesDidChange(at: relationship.slot) }
  }

  /// Puts all targets of a to-many into another order.
  func reorder(_ owner: ManagedObject, _ relationship: Relationship, _ order: [Int64]) throws {
    // An order is one value of the row, which others may change.
    try owner.readRow()
    let state = owner.toManyState(relationship)
    if !state.isLoaded { try load(state, of: owner) }
    let old = Array(state.current ?? [])
    guard state.reorder(order) else { return }
    if isWatched { record(.reordered(owner, relationship, old), updating: owner) }
    noteUpdated(owner)
    if owner.tellsOfChanges { owner.valuesDidChange(at: relationship.slot) }
  }

  /// Puts one target of a to-many into another place, which counts without it.
  func move(_ target: Int64, in owner: ManagedObject, _ relationship: Relationship, to place: Int) throws {
    try owner.readRow()
    let state = owner.toManyState(relationship)
    if !state.isLoaded { try load(state, of: owner) }
    let old = isWatched ? state.index(of: target) : nil
    guard state.move(target, to: place) else { return }
    if let old { record(.moved(owner, relationship, target, from: old), updating: owner) }
    noteUpdated(owner)
  }
}
