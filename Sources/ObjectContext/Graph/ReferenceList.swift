/// Distinct reference numbers in insertion order.
///
/// A short list is searched; a long one has an index. Removing the first or the last item is O(1).
/// Items removed from the middle are deleted in one pass when the items are next read.
struct ReferenceList {
  /// The items, including those of `holes`, which were removed from the middle.
  private var all: ArraySlice<Int64> = []
  private var holes: Set<Int64> = []
  private var index: Set<Int64>?
  private static let scanned = 16

  init() {}

  var isEmpty: Bool { all.count == holes.count }

  /// The items, with the indexes of the array or slice that contains them.
  var items: ArraySlice<Int64> {
    mutating get {
      if !holes.isEmpty {
        all.removeAll(where: holes.contains)
        holes = []
      }
      return all
    }
  }

  mutating func contains(_ reference: Int64) -> Bool {
    if let index { return index.contains(reference) }
    if all.count <= Self.scanned { return all.contains(reference) }
    let new = Set(all)
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
    if holes.contains(reference) { _ = items }
    all.append(reference)
    index?.insert(reference)
  }

  /// Removes a reference; returns false if the list does not contain it.
  mutating func remove(_ reference: Int64) -> Bool {
    guard contains(reference) else { return false }
    if index == nil {
      all.removeAll { $0 == reference }
      return true
    }
    index?.remove(reference)
    holes.insert(reference)
    while let first = all.first, holes.remove(first) != nil { all.removeFirst() }
    while let last = all.last, holes.remove(last) != nil { all.removeLast() }
    return true
  }

  /// Moves an item to an index among the other items; returns false if it is there already.
  mutating func move(_ reference: Int64, to place: Int) -> Bool {
    // No other reference to the items may exist now, or the array would be copied.
    _ = items
    let old = all.last == reference ? all.endIndex - 1 : all.firstIndex(of: reference)
    guard let old, old != all.startIndex + place else { return false }
    all.remove(at: old)
    all.insert(reference, at: all.startIndex + place)
    return true
  }

  mutating func replace(_ references: ArraySlice<Int64>) {
    all = references
    holes = []
    index = nil
  }

  mutating func replace(_ references: [Int64]) { replace(references[...]) }

  /// Replaces items for which the closure returns another number.
  mutating func rename(_ new: (Int64) -> Int64?) {
    let present = items
    if present.contains(where: { new($0) != nil }) { replace(present.map { new($0) ?? $0 }) }
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
