import OrderedCollections
import StoreContract

/// What happened to a context's objects since its observers were last told.
struct ChangeLog {
  enum Kind { case inserted, updated, deleted, refreshed }

  private(set) var inserted: OrderedSet<ManagedObject> = []
  private(set) var updated: OrderedSet<ManagedObject> = []
  private(set) var deleted: OrderedSet<ManagedObject> = []
  private(set) var refreshed: OrderedSet<ManagedObject> = []

  /// What is still there in one way or another.
  var changed: Set<ManagedObject> { Set(updated).union(refreshed) }

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty }

  mutating func note(_ kind: Kind, _ object: ManagedObject) {
    switch kind {
    case .inserted:
      if deleted.remove(object) == nil { inserted.append(object) } else { updated.append(object) }
    case .updated: if !inserted.contains(object) { updated.append(object) }
    case .deleted:
      updated.remove(object)
      refreshed.remove(object)
      if inserted.remove(object) == nil { deleted.append(object) }
    case .refreshed: refreshed.append(object)
    }
  }

  func changes(_ name: String?) -> ContextChanges {
    var changes = ContextChanges(contextName: name)
    changes.inserted = inserted.map(\.objectID)
    changes.updated = updated.map(\.objectID)
    changes.deleted = deleted.map(\.objectID)
    changes.refreshed = refreshed.map(\.objectID)
    return changes
  }
}
