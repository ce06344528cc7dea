import ObjectModel

/// What a context knows of one to-many of one object: what the store holds, once it was asked, and
/// what was added and removed since.
///
/// References only, so that objects never hold each other.
final class ToManyState {
  let relationship: RelationshipDescription
  /// Whether `list` is all there is.
  ///
  /// Before, the store was not asked.
  @exclusivity(unchecked) private(set) var isLoaded: Bool
  /// Whether the store knows of none, so that the whole list is what was added.
  @exclusivity(unchecked) private var isNew: Bool
  @exclusivity(unchecked) private var list = ReferenceList()
  @exclusivity(unchecked) private var additions = ReferenceList()
  @exclusivity(unchecked) private(set) var removed: Set<Int64> = []
  /// Of what was added or removed, that of which nobody knew whether the store has it.
  @exclusivity(unchecked) private var doubtful: Set<Int64> = []
  @exclusivity(unchecked) private(set) var isReordered = false
  /// The order that was given to the destinations before the store is asked for them again.
  @exclusivity(unchecked) private var order: [Int64]?
  @exclusivity(unchecked) private(set) var batch: FetchBatch?
  /// Where the first destination stands in the batch, while the list is as it was loaded.
  @exclusivity(unchecked) private(set) var batchOffset: Int?
  /// How many deletions by others the context knew of when the list was last looked through for
  /// them.
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

  /// Takes in what the store holds, with the changes made before it was asked on top.
  func load(_ stored: ArraySlice<Int64>, _ batch: FetchBatch?) {
    isLoaded = true
    self.batch = batch
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

  /// Releases what was read and keeps what was changed: the next read asks the store.
  func refault() {
    if isNew || !isLoaded { return }
    if isReordered { order = Array(list.items) }
    isLoaded = false
    list.removeAll()
    batch = nil
    batchOffset = nil
  }

  /// The store holds none of it any more: the whole list is new.
  func becomeNew() {
    if !isLoaded { list.replace(additions.items) }
    isNew = true
    isLoaded = true
    additions.removeAll()
    removed = []
    doubtful = []
    isReordered = false
    batch = nil
    batchOffset = nil
  }

  /// The object is stored, which was new: the whole list was added to whatever the store has.
  func becomeStored() {
    guard isNew, !relationship.isTransient else { return }
    additions.replace(list.items)
    doubtful = Set(list.items)
    isReordered = relationship.isOrdered
    isNew = false
    refault()
  }

  /// Where a destination stands; nil when it is not there or not known.
  func index(of destination: Int64) -> Int? {
    if !isLoaded { return nil }
    let items = list.items
    if items.last == destination { return items.count - 1 }
    return items.firstIndex(of: destination).map { $0 - items.startIndex }
  }

  /// Whether the opposite of what was done to a destination may not make it as it was, so that the
  /// store has to be asked first.
  func isDoubtful(_ destination: Int64) -> Bool { doubtful.contains(destination) }

  /// Whether a destination is known not to be there.
  func lacks(_ destination: Int64) -> Bool { isLoaded && !list.contains(destination) }

  /// Whether a destination is there that the store has not.
  func isAdded(_ destination: Int64) -> Bool {
    isNew ? list.contains(destination) : additions.contains(destination)
  }

  /// Drops destinations that were deleted in the store.
  ///
  /// Those that were added here stay: the save reports that they do not exist.
  func forget(_ isDeleted: (Int64) -> Bool) {
    // All of a new object's list was added here.
    if isNew, !relationship.isTransient { return }
    guard isLoaded, case let items = list.items, items.contains(where: isDeleted) else { return }
    list.replace(items.filter { !isDeleted($0) || additions.contains($0) })
    batchOffset = nil
  }

  /// Takes back an order given here.
  func forgetOrder() {
    isReordered = false
    order = nil
    refault()
  }

  /// Has what was changed here about one destination say no more and no less than how it is here
  /// and how it is stored.
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

  /// Takes back what was changed here about one destination.
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

  /// Takes back all that was changed here.
  func takeBack() {
    if isNew { return list.removeAll() }
    additions.removeAll()
    removed = []
    doubtful = []
    forgetOrder()
    refault()
  }

  /// Answers false when the destination was there already.
  ///
  /// - `isKnown`: Whether somebody knows that the store has it not.
  @discardableResult
  func add(_ destination: Int64, isKnown: Bool = false) -> Bool {
    if isLoaded {
      guard list.append(destination) else { return false }
      batchOffset = nil
      if isNew { return true }
      if removed.remove(destination) == nil {
        additions.append(new: destination)
      } else {
        isReordered = isReordered || relationship.isOrdered
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

  /// Adds a destination that the other end, which knows all its own, says is new.
  func add(new destination: Int64) {
    guard removed.isEmpty else {
      add(destination, isKnown: true)
      return
    }
    // A list that was read may know of a link that another context made meanwhile.
    if isLoaded, !isNew {
      add(destination)
      return
    }
    batchOffset = nil
    if isLoaded { list.append(new: destination) }
    if !isNew { additions.append(new: destination) }
  }

  /// - `isKnown`: Whether somebody knows that the store has it.
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

  /// Puts the present destinations into another order; false when it is theirs already.
  func reorder(_ ordered: [Int64]) -> Bool {
    if list.items.elementsEqual(ordered) { return false }
    list.replace(ordered)
    batchOffset = nil
    isReordered = true
    return true
  }

  /// Puts one of the present destinations into another place, which counts without it; false when
  /// it stands there.
  @discardableResult
  func move(_ destination: Int64, to place: Int) -> Bool {
    guard list.move(destination, to: place) else { return false }
    batchOffset = nil
    isReordered = true
    return true
  }

  /// Replaces reference numbers by others, of which none is there already.
  func rename(_ new: (Int64) -> Int64?) {
    list.rename(new)
    additions.rename(new)
    removed = Set(removed.map { new($0) ?? $0 })
    doubtful = Set(doubtful.map { new($0) ?? $0 })
    order = order.map { $0.map { new($0) ?? $0 } }
  }

  /// Has other objects in the places of some that were new, each once.
  func replace(_ successor: (Int64) -> Int64?) {
    let came = isNew ? [] : additions.items.compactMap(successor)
    let stored = isLoaded && !came.isEmpty ? Set(list.items).subtracting(additions.items) : []
    if list.replaceOnce(successor) { batchOffset = nil }
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
        // The store has it: it was taken out, and comes back.
        _ = additions.remove(destination)
        isReordered = isReordered || relationship.isOrdered
      } else if stored.contains(destination) {
        _ = additions.remove(destination)
      } else if !isLoaded {
        doubtful.insert(destination)
      }
    }
  }

  /// The same, to be changed apart.
  func copy() -> ToManyState {
    let copy = ToManyState(relationship, isNew: isNew)
    (copy.isLoaded, copy.list, copy.additions) = (isLoaded, list, additions)
    (copy.removed, copy.doubtful) = (removed, doubtful)
    (copy.isReordered, copy.order, copy.batch, copy.batchOffset) = (isReordered, order, batch, batchOffset)
    return copy
  }

  /// The changes are in the store now.
  func settle() {
    if relationship.isTransient { return }
    isNew = false
    additions.removeAll()
    removed = []
    doubtful = []
    isReordered = false
    order = nil
  }
}
