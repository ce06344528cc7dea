import ObjectModel

/// The orders of ordered to-manys that contain new objects or belong to them, while these are
/// merged into other objects.
struct UniquenessMergeOrders {
  private struct Key: Hashable {
    let owner: ObjectIdentifier
    let relationship: ObjectIdentifier

    init(_ owner: ManagedObject, _ relationship: RelationshipDescription) {
      (self.owner, self.relationship) = (ObjectIdentifier(owner), ObjectIdentifier(relationship))
    }
  }

  private struct Order {
    let owner: ManagedObject
    let relationship: RelationshipDescription
    let destinations: [Int64]
    /// Whether it wins over the order that the owner has.
    let isTrump: Bool
  }

  private let graph: ObjectGraph
  /// The orders of objects that are not merged into others.
  private var recorded: [Order] = []
  private var seen: Set<Key> = []
  /// The orders of objects that are merged into others.
  private var merged: [Order] = []
  /// The own orders of the objects into which others are merged.
  private var own: [Key: [Int64]] = [:]

  init(_ graph: ObjectGraph) { self.graph = graph }

  /// Records an order of an object that is not merged into another.
  ///
  /// If the to-many is not loaded, this takes one statement for the object's whole batch.
  mutating func record(_ owner: ManagedObject, _ relationship: RelationshipDescription?) throws {
    guard let relationship, relationship.isOrdered, !relationship.isTransient,
      seen.insert(Key(owner, relationship)).inserted
    else { return }
    let destinations = Array(try owner.destinations(relationship).references)
    recorded.append(
      Order(owner: owner, relationship: relationship, destinations: destinations, isTrump: true))
  }

  /// Records an order of an object that is merged into another.
  mutating func recordMerged(
    _ owner: ManagedObject, _ relationship: RelationshipDescription, _ destinations: [ManagedObject],
    isTrump: Bool
  ) {
    guard relationship.isOrdered else { return }
    merged.append(
      Order(
        owner: owner, relationship: relationship, destinations: destinations.map(\.reference),
        isTrump: isTrump))
  }

  /// Records the own orders of the remaining objects before relationships are set again.
  mutating func recordOwn(_ last: (ManagedObject) -> ManagedObject) throws {
    for order in merged {
      let owner = last(order.owner)
      let key = Key(owner, order.relationship)
      if own[key] == nil { own[key] = Array(try owner.destinations(order.relationship).references) }
    }
  }

  /// Arranges the current destinations in the recorded orders.
  mutating func restore(_ successors: MergedReferences, _ last: (ManagedObject) -> ManagedObject) throws {
    for order in recorded {
      let owner = last(order.owner)
      let wanted = renamed(order, successors)
      own[Key(owner, order.relationship)] = wanted
      try arrange(owner, order.relationship, wanted, over: wanted)
    }
    for order in merged {
      let owner = last(order.owner)
      let key = Key(owner, order.relationship)
      let present = own[key] ?? []
      var wanted = renamed(order, successors)
      if !order.isTrump {
        let known = Set(present)
        wanted.removeAll(where: known.contains)
      }
      own[key] = try arrange(owner, order.relationship, wanted, over: present)
    }
  }

  /// The final destinations of an order, each object once.
  private func renamed(_ order: Order, _ successors: MergedReferences) -> [Int64] {
    var seen: Set<Int64> = []
    return order.destinations.map { successors($0, of: order.relationship.destination) ?? $0 }.filter {
      seen.insert($0).inserted
    }
  }

  @discardableResult
  private func arrange(
    _ owner: ManagedObject, _ relationship: RelationshipDescription, _ wanted: [Int64], over present: [Int64]
  ) throws -> [Int64] {
    let current = Array(try owner.destinations(relationship).references)
    let there = Set(current)
    let order = Self.merge(wanted.filter(there.contains), over: present.filter(there.contains))
    let known = Set(order)
    let all = order + current.filter { !known.contains($0) }
    if all != current { try graph.relationships.reorder(owner, relationship, all) }
    return all
  }

  /// Merges two orders: common items stand where `lower` has common items, in the order of `upper`.
  ///
  /// An item that only `upper` has follows its predecessor in `upper`, or precedes the first common
  /// item if it has none before it. Without common items, `upper` follows `lower`.
  static func merge(_ upper: [Int64], over lower: [Int64]) -> [Int64] {
    let (inUpper, inLower) = (Set(upper), Set(lower))
    // Each common item with the items that follow it in `upper`.
    var groups: [[Int64]] = []
    var first: [Int64] = []
    for item in upper {
      if inLower.contains(item) {
        groups.append(groups.isEmpty ? first + [item] : [item])
      } else if groups.isEmpty {
        first.append(item)
      } else {
        groups[groups.count - 1].append(item)
      }
    }
    if groups.isEmpty { return lower + first }
    var next = groups.makeIterator()
    return lower.flatMap { inUpper.contains($0) ? next.next() ?? [] : [$0] }
  }
}
