/// Distinct reference numbers in insertion order.
///
/// A short list is searched; a long one has an index. Removing the first or the last item is O(1).
/// Items removed from the middle are deleted in one pass when the items are next read.
struct ReferenceList {
  /// The items, including those of `holes`, which were removed from the middle.
  private var all: [Int64] = []
  /// The index of the first; those before it are removed.
  private var start = 0
  /// All of them as long as nothing is changed: what was read for many lists together.
  private var shared: ArraySlice<Int64>?
  private var holes: Set<Int64> = []
  private var index: Set<Int64>?
  private static let scanned = 16

  init() {}

  private var count: Int { shared?.count ?? all.count - start }
  private var present: ArraySlice<Int64> { shared ?? all[start...] }
  var isEmpty: Bool { count == holes.count }

  /// The items, with the indexes of the array or slice that contains them.
  var items: ArraySlice<Int64> {
    mutating get {
      fill()
      return present
    }
  }

  /// To be called before a change.
  private mutating func own() {
    guard let shared else { return }
    all = Array(shared)
    self.shared = nil
  }

  /// Removes the holes.
  private mutating func fill() {
    if holes.isEmpty { return }
    all.removeSubrange(..<start)
    start = 0
    all.removeAll(where: holes.contains)
    holes = []
  }

  mutating func contains(_ reference: Int64) -> Bool {
    if let index { return index.contains(reference) }
    if count <= Self.scanned {
      if let shared { return shared.contains(reference) }
      for place in start..<all.count where all[place] == reference { return true }
      return false
    }
    let new = Set(present)
    index = new
    return new.contains(reference)
  }

  /// Appends a reference; returns false if the list contains it already.
  mutating func append(_ reference: Int64) -> Bool {
    if contains(reference) { return false }
    append(new: reference)
    return true
  }

  /// Appends a reference that the list is known not to contain.
  mutating func append(new reference: Int64) {
    if !holes.isEmpty, holes.contains(reference) { fill() }
    own()
    if all.isEmpty { all.reserveCapacity(4) }
    all.append(reference)
    index?.insert(reference)
  }

  /// Removes a reference; returns false if the list does not contain it.
  mutating func remove(_ reference: Int64) -> Bool {
    guard contains(reference) else { return false }
    own()
    if index == nil {
      guard let place = present.firstIndex(of: reference) else { return false }
      all.remove(at: place)
      return true
    }
    index?.remove(reference)
    holes.insert(reference)
    while start < all.count, holes.remove(all[start]) != nil { start += 1 }
    while start < all.count, let last = all.last, holes.remove(last) != nil { all.removeLast() }
    return true
  }

  /// Moves an item to an index among the other items; returns false if it is there already.
  mutating func move(_ reference: Int64, to place: Int) -> Bool {
    own()
    fill()
    let old = all.last == reference ? all.endIndex - 1 : present.firstIndex(of: reference)
    guard let old, old != start + place else { return false }
    all.remove(at: old)
    all.insert(reference, at: start + place)
    return true
  }

  mutating func replace(_ references: ArraySlice<Int64>) {
    all = []
    start = 0
    shared = references
    holes = []
    index = nil
  }

  mutating func replace(_ references: [Int64]) {
    replace(references[...])
    (all, shared) = (references, nil)
  }

  /// Replaces items for which the closure returns another number.
  mutating func rename(_ new: (Int64) -> Int64?) {
    fill()
    if let shared {
      if !shared.contains(where: { new($0) != nil }) { return }
      own()
    }
    for place in start..<all.count {
      guard let number = new(all[place]) else { continue }
      all[place] = number
      index = nil
    }
  }

  /// Replaces items by numbers that the list may contain already; returns whether it replaced any.
  ///
  /// Each number stays in the list once, at its first index.
  mutating func replaceOnce(_ new: (Int64) -> Int64?) -> Bool {
    let present = items
    guard present.contains(where: { new($0) != nil }) else { return false }
    var seen: Set<Int64> = []
    replace(present.map { new($0) ?? $0 }.filter { seen.insert($0).inserted })
    return true
  }

  mutating func removeAll() { replace([Int64]()) }
}
