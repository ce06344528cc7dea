/// Different reference numbers in the order they came; looked through while few, indexed once they are many.
struct ReferenceList {
  private(set) var items: [Int64] = []
  private var index: Set<Int64>?
  private static let scanned = 16

  init() {}

  /// The items must be different.
  init(_ items: [Int64]) { self.items = items }

  var isEmpty: Bool { items.isEmpty }

  mutating func contains(_ reference: Int64) -> Bool {
    if let index { return index.contains(reference) }
    if items.count <= Self.scanned { return items.contains(reference) }
    let new = Set(items)
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
    items.append(reference)
    index?.insert(reference)
  }

  /// Answers false when it is not there.
  mutating func remove(_ reference: Int64) -> Bool {
    guard let place = items.lastIndex(of: reference) else { return false }
    items.remove(at: place)
    index?.remove(reference)
    return true
  }

  mutating func replace(_ references: [Int64]) {
    items = references
    index = nil
  }

  mutating func removeAll() { replace([]) }
}
