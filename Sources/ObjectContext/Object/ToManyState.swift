import ObjectModel

/// What a context knows of one to-many of one object: what the store holds, once it was asked, and what was added
/// and removed since. References only, so that objects never hold each other.
final class ToManyState {
  let relationship: Relationship
  /// The current targets; nil until the store was asked.
  private(set) var current: [Int64]?
  private var members: Set<Int64> = []
  private(set) var added: [Int64] = []
  private(set) var removed: Set<Int64> = []
  private(set) var isReordered = false
  var batch: FetchBatch?

  init(_ relationship: Relationship, isNew: Bool) {
    self.relationship = relationship
    if isNew { current = [] }
  }

  var hasChanges: Bool { !added.isEmpty || !removed.isEmpty || isReordered }

  /// Takes in what the store holds, with the changes made before it was asked on top.
  func load(_ stored: some Sequence<Int64>) {
    var all = stored.filter { !removed.contains($0) }
    members = Set(all)
    added = added.filter { members.insert($0).inserted }
    all += added
    current = all
  }

  /// Answers false when the target was there already.
  @discardableResult
  func add(_ target: Int64) -> Bool {
    if current != nil {
      guard members.insert(target).inserted else { return false }
      current?.append(target)
    } else if added.contains(target) {
      return false
    }
    if removed.remove(target) != nil {
      isReordered = isReordered || relationship.isOrdered
    } else {
      added.append(target)
    }
    return true
  }

  func remove(_ target: Int64) {
    if current != nil {
      guard members.remove(target) != nil else { return }
      if let index = current?.lastIndex(of: target) { current?.remove(at: index) }
    }
    if let index = added.lastIndex(of: target) {
      added.remove(at: index)
    } else {
      removed.insert(target)
    }
  }

  func contains(_ target: Int64) -> Bool { members.contains(target) }

  /// Puts the present targets into another order.
  func reorder(_ ordered: [Int64]) {
    if current != ordered {
      current = ordered
      isReordered = true
    }
  }

  /// Replaces temporary reference numbers by permanent ones.
  func rename(_ permanent: [Int64: Int64]) {
    func renamed(_ list: [Int64]) -> [Int64] { list.map { $0 < 0 ? permanent[$0] ?? $0 : $0 } }
    added = renamed(added)
    if let old = current {
      current = renamed(old)
      members = Set(current ?? [])
    }
  }

  /// The changes are in the store now.
  func settle() {
    added = []
    removed = []
    isReordered = false
  }
}
