import ObjectModel

/// The state of one to-many of one object: the stored destinations, if loaded, and the changes.
///
/// It contains references only, so that objects never retain each other.
final class ToManyState {
  let relationship: RelationshipDescription
  /// Whether `list` contains all destinations.
  ///
  /// It is false until the store was asked.
  @exclusivity(unchecked) private(set) var isLoaded: Bool
  /// Whether the store has no destinations, so that the whole list was added.
  @exclusivity(unchecked) private var isNew: Bool
  @exclusivity(unchecked) private var list = ReferenceList()
  @exclusivity(unchecked) private var additions = ReferenceList()
  @exclusivity(unchecked) private(set) var removed: Set<Int64> = []
  /// The added and removed destinations that may or may not be in the store.
  @exclusivity(unchecked) private var doubtful: Set<Int64> = []
  @exclusivity(unchecked) private(set) var isReordered = false
  /// The loaded destinations of an ordered to-many as the store has them; nil where that is not known.
  @exclusivity(unchecked) private var stored: ArraySlice<Int64>?
  /// The destinations' changed order, to be applied after the store is asked for them again.
  @exclusivity(unchecked) private var order: [Int64]?
  @exclusivity(unchecked) private(set) var batch: FetchBatch?
  /// The index of the first destination in the batch, while the list is unchanged since its load.
  @exclusivity(unchecked) private(set) var batchOffset: Int?
  /// The change tracker's `deletions` when the list was last searched for deleted destinations.
  @exclusivity(unchecked) var deletions = 0

  init(_ relationship: RelationshipDescription, isNew: Bool) {
    self.relationship = relationship
    self.isNew = isNew
    isLoaded = isNew
  }

  /// The current destinations; nil until the store was asked.
  var current: ArraySlice<Int64>? { isLoaded ? list.items : nil }
  var added: ArraySlice<Int64> { isNew ? list.items : additions.items }
  var hasChanges: Bool { isNew ? !list.isEmpty : !additions.isEmpty || !removed.isEmpty || isReordered }

  /// Stores the loaded destinations and applies the earlier changes to them.
  func load(_ stored: ArraySlice<Int64>, _ batch: FetchBatch?) {
    isLoaded = true
    self.batch = batch
    self.stored = relationship.isOrdered ? stored : nil
    doubtful = []
    if !removed.isEmpty { removed.formIntersection(stored) }
    if additions.isEmpty, removed.isEmpty, order == nil {
      batchOffset = stored.startIndex
      return list.replace(stored)
    }
    list.replace(stored.filter { !removed.contains($0) })
    let added = additions.items
    additions.replace(added.filter { list.append($0) })
    guard let order else { return }
    self.order = nil
    let items = list.items
    let present = Set(items)
    let wanted = order.filter(present.contains)
    let known = Set(wanted)
    list.replace(wanted + items.filter { !known.contains($0) })
  }

  /// Releases the loaded destinations and retains the changes: the next read asks the store.
  func refault() {
    if isNew || !isLoaded { return }
    if isReordered { order = Array(list.items) }
    isLoaded = false
    list.removeAll()
    stored = nil
    batch = nil
    batchOffset = nil
  }

  /// Marks the whole list as added, since the store has none of it any more.
  func becomeNew() {
    if !isLoaded { list.replace(additions.items) }
    isNew = true
    isLoaded = true
    additions.removeAll()
    removed = []
    doubtful = []
    isReordered = false
    stored = nil
    batch = nil
    batchOffset = nil
  }

  /// Marks the whole list of an object that was new as added to the stored destinations.
  func becomeStored() {
    guard isNew, !relationship.isTransient else { return }
    additions.replace(list.items)
    doubtful = Set(list.items)
    isReordered = relationship.isOrdered
    isNew = false
    refault()
  }

  /// The index of a destination; nil if it is not in the list or the list is not loaded.
  func index(of destination: Int64) -> Int? {
    if !isLoaded { return nil }
    let items = list.items
    if items.last == destination { return items.count - 1 }
    return items.firstIndex(of: destination).map { $0 - items.startIndex }
  }

  /// Whether the store has to be asked before the change of a destination is reverted.
  ///
  /// The opposite change might not restore the former state.
  func isDoubtful(_ destination: Int64) -> Bool { doubtful.contains(destination) }

  /// Whether the to-many is known not to contain a destination.
  func lacks(_ destination: Int64) -> Bool { isLoaded && !list.contains(destination) }

  /// Whether a destination was added that the store does not have.
  func isAdded(_ destination: Int64) -> Bool {
    isNew ? list.contains(destination) : additions.contains(destination)
  }

  /// Drops destinations that were deleted in the store.
  ///
  /// Destinations that this context added stay: the save reports that they do not exist.
  /// - Returns: Whether there were any in the list.
  @discardableResult
  func forget(_ isDeleted: (Int64) -> Bool) -> Bool {
    // This context added the whole list of a new object.
    if isNew, !relationship.isTransient { return false }
    guard isLoaded, case let items = list.items, items.contains(where: isDeleted) else { return false }
    let count = items.count
    stored = nil
    list.replace(items.filter { !isDeleted($0) || additions.contains($0) })
    batchOffset = nil
    return list.items.count != count
  }

  /// Reverts this context's change of the order.
  func forgetOrder() {
    isReordered = false
    order = nil
    refault()
  }

  /// Sets the change of one destination to the difference between this context and the store.
  func align(_ destination: Int64, isHere: Bool, isStored: Bool) {
    if isNew {
      batchOffset = nil
      _ = isHere ? list.append(destination) : list.remove(destination)
      return
    }
    doubtful.remove(destination)
    if isHere, !isStored { _ = additions.append(destination) } else { _ = additions.remove(destination) }
    if isStored, !isHere { removed.insert(destination) } else { removed.remove(destination) }
    refault()
  }

  /// Reverts this context's change of one destination.
  func takeBack(_ destination: Int64) {
    if isNew {
      if list.remove(destination) { batchOffset = nil }
    } else {
      _ = additions.remove(destination)
      removed.remove(destination)
      doubtful.remove(destination)
      refault()
    }
  }

  /// Reverts all changes of this context.
  func takeBack() {
    if isNew { return list.removeAll() }
    additions.removeAll()
    removed = []
    doubtful = []
    forgetOrder()
    refault()
  }

  /// Adds a destination; returns false if the to-many is known to contain it already.
  ///
  /// - `isKnown`: Whether the store is known not to have it.
  @discardableResult
  func add(_ destination: Int64, isKnown: Bool = false) -> Bool {
    if isLoaded {
      guard list.append(destination) else { return false }
      batchOffset = nil
      if isNew { return true }
      if removed.remove(destination) == nil {
        additions.append(new: destination)
      } else if relationship.isOrdered {
        noteOrder()
      }
      return true
    }
    if removed.remove(destination) != nil {
      isReordered = isReordered || relationship.isOrdered
      return true
    }
    guard additions.append(destination) else { return false }
    if !isKnown { doubtful.insert(destination) }
    return true
  }

  /// Adds a destination whose fully loaded inverse proves that it is new.
  func add(new destination: Int64) {
    // A loaded list that has it was read at another time than the inverse: the store has to say.
    if isLoaded, !isNew, list.contains(destination), !additions.contains(destination) { refault() }
    guard removed.isEmpty else {
      add(destination, isKnown: true)
      return
    }
    if isLoaded, !isNew {
      add(destination)
      return
    }
    batchOffset = nil
    if isLoaded { list.append(new: destination) }
    if !isNew { additions.append(new: destination) }
  }

  /// - `isKnown`: Whether the store is known to have it.
  func remove(_ destination: Int64, isKnown: Bool = false) {
    if isLoaded {
      guard list.remove(destination) else { return }
      batchOffset = nil
      if isNew { return }
    }
    if additions.remove(destination) { return }
    removed.insert(destination)
    if !isLoaded, !isKnown { doubtful.insert(destination) }
  }

  /// Reorders the current destinations; returns false if they are in this order already.
  func reorder(_ ordered: [Int64]) -> Bool {
    if list.items.elementsEqual(ordered) { return false }
    list.replace(ordered)
    batchOffset = nil
    noteOrder()
    return true
  }

  /// Moves a destination to an index among the others; returns false if it is there already.
  @discardableResult
  func move(_ destination: Int64, to place: Int) -> Bool {
    guard list.move(destination, to: place) else { return false }
    batchOffset = nil
    noteOrder()
    return true
  }

  /// An order that was changed and is as before, by an undo, is no change.
  private func noteOrder() {
    let isAsStored = additions.isEmpty && removed.isEmpty && stored?.elementsEqual(list.items) == true
    isReordered = !isAsStored
  }

  /// Replaces reference numbers by numbers that the to-many does not contain.
  func rename(_ new: (Int64) -> Int64?) {
    list.rename(new)
    stored = nil
    if isNew { return }
    additions.rename(new)
    if !removed.isEmpty { removed = Set(removed.map { new($0) ?? $0 }) }
    if !doubtful.isEmpty { doubtful = Set(doubtful.map { new($0) ?? $0 }) }
    order = order.map { $0.map { new($0) ?? $0 } }
  }

  /// Replaces new objects by the stored objects that they were merged into, each once.
  func replace(_ successor: (Int64) -> Int64?) {
    let came = isNew ? [] : additions.items.compactMap(successor)
    let stored = isLoaded && !came.isEmpty ? Set(list.items).subtracting(additions.items) : []
    if list.replaceOnce(successor) { batchOffset = nil }
    self.stored = nil
    order = order.map { order in
      var list = ReferenceList()
      list.replace(order)
      return list.replaceOnce(successor) ? Array(list.items) : order
    }
    if isNew { return }
    removed = Set(removed.map { successor($0) ?? $0 })
    doubtful = Set(doubtful.map { successor($0) ?? $0 })
    guard additions.replaceOnce(successor) else { return }
    for destination in came {
      if removed.remove(destination) != nil, !doubtful.contains(destination) {
        // The store has the destination: it was removed and is now added again.
        _ = additions.remove(destination)
        isReordered = isReordered || relationship.isOrdered
      } else if stored.contains(destination) {
        _ = additions.remove(destination)
      } else if !isLoaded {
        doubtful.insert(destination)
      }
    }
  }

  /// An independent copy.
  func copy() -> ToManyState {
    let copy = ToManyState(relationship, isNew: isNew)
    (copy.isLoaded, copy.list, copy.additions) = (isLoaded, list, additions)
    (copy.removed, copy.doubtful, copy.stored) = (removed, doubtful, stored)
    (copy.isReordered, copy.order, copy.batch, copy.batchOffset) = (isReordered, order, batch, batchOffset)
    return copy
  }

  /// Removes the changes after a save stored them.
  func settle() {
    if relationship.isTransient { return }
    if hasChanges { stored = nil }
    isNew = false
    additions.removeAll()
    removed = []
    doubtful = []
    isReordered = false
    order = nil
  }
}
