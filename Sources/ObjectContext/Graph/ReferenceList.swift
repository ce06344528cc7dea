/// Different reference numbers in the order they came; looked through while few, indexed once they
/// are many.
///
/// Taking out is O(1) from both ends, and elsewhere once for any number until the items are read
/// again.
struct ReferenceList {
  /// With what was taken out of the middle still in it.
  private var all: ArraySlice<Int64> = []
  private var holes: Set<Int64> = []
  private var index: Set<Int64>?
  private static let scanned = 16

  init() {}

  var isEmpty: Bool { all.count == holes.count }

  /// The items, in an array's or a slice's places.
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

  /// Answers false when it is there already.
  mutating func append(_ reference: Int64) -> Bool {
    if contains(reference) { return false }
    append(new: reference)
    return true
  }

  /// For what is known not to be there.
  mutating func append(new reference: Int64) {
    if holes.contains(reference) { _ = items }
    all.append(reference)
    index?.insert(reference)
  }

  /// Answers false when it is not there.
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

  /// Puts an item into another place, which counts without it; false when it stands there.
  mutating func move(_ reference: Int64, to place: Int) -> Bool {
    // Nobody else may hold the items now, or all would be copied.
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

  /// Replaces items by others.
  mutating func rename(_ new: (Int64) -> Int64?) {
    let present = items
    if present.contains(where: { new($0) != nil }) { replace(present.map { new($0) ?? $0 }) }
  }

  /// Replaces items by others, which may be there already: each is in it once then, where it comes
  /// first.
  ///
  /// Answers whether any was replaced.
  mutating func replaceOnce(_ new: (Int64) -> Int64?) -> Bool {
    let present = items
    guard present.contains(where: { new($0) != nil }) else { return false }
    var seen: Set<Int64> = []
    replace(present.map { new($0) ?? $0 }.filter { seen.insert($0).inserted })
    return true
  }

  mutating func removeAll() { replace([Int64]()) }
}
