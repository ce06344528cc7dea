import OrderedCollections
import StoreContract

/// The changes to a context's objects since the last event ended.
struct ChangeLog {
  struct Kind: OptionSet {
    let rawValue: UInt8
    static let inserted = Kind(rawValue: 1)
    static let updated = Kind(rawValue: 2)
    static let deleted = Kind(rawValue: 4)
    static let refreshed = Kind(rawValue: 8)
  }

  /// The changed objects in the order of their first change.
  ///
  /// An object that was inserted and deleted within one event has an empty kind.
  private var kinds: OrderedDictionary<ManagedObject, Kind> = [:]

  /// The IDs of objects that other contexts inserted, in the order in which they were reported.
  var arrived: [ManagedObjectID] = []

  var inserted: [ManagedObject] { objects(.inserted) }
  var updated: [ManagedObject] { objects(.updated) }
  var deleted: [ManagedObject] { objects(.deleted) }
  var refreshed: [ManagedObject] { objects(.refreshed) }
  var all: [ManagedObject] { objects([.inserted, .updated, .deleted, .refreshed]) }
  /// The updated and refreshed objects.
  var changed: Set<ManagedObject> { Set(objects([.updated, .refreshed])) }

  var isEmpty: Bool { arrived.isEmpty && kinds.values.allSatisfy(\.isEmpty) }

  private func objects(_ wanted: Kind) -> [ManagedObject] {
    kinds.compactMap { object, kind in kind.isDisjoint(with: wanted) ? nil : object }
  }

  /// - `kind`: One kind.
  mutating func note(_ kind: Kind, _ object: ManagedObject) {
    let old = kinds[object, default: []]
    let new: Kind
    switch kind {
    case .inserted:
      new = old.contains(.deleted) ? old.subtracting(.deleted).union(.updated) : old.union(.inserted)
    case .updated: new = old.contains(.inserted) ? old : old.union(.updated)
    case .deleted: new = old.contains(.inserted) ? [] : .deleted
    default: new = old.union(kind)
    }
    if new != old { kinds[object] = new }
  }

  func changes(_ name: String?) -> ContextChanges {
    var changes = ContextChanges(contextName: name)
    let arrived = Set(arrived)
    changes.inserted = self.arrived + inserted.map(\.objectID).filter { !arrived.contains($0) }
    changes.updated = updated.map(\.objectID)
    changes.deleted = deleted.map(\.objectID)
    changes.refreshed = refreshed.map(\.objectID).filter { !arrived.contains($0) }
    return changes
  }
}
