import Foundation
import ObjectModel
import StoreContract

extension MergeOperation {
  /// Merges the commits of other processes or coordinators to a store.
  ///
  /// Registered objects whose rows have another version get the new row; the changes of changed
  /// objects are rebased on it. Objects whose rows were deleted are marked deleted. This takes one
  /// statement for each root entity.
  func mergeChanges(from change: PersistentStoreRemoteChange) throws {
    graph.forgetClosedStores()
    try renewQueryGeneration()
    try mergeCommits(to: [change.storeIdentifier])
    childInboxes.post(.committed(store: change.storeIdentifier), from: inbox)
    graph.endEvent()
  }

  func mergeCommits(to stores: Set<UUID>) throws {
    func isConcerned(_ storeEntity: StoreEntity) -> Bool {
      storeEntity.storeIdentifier.map(stores.contains) ?? false
    }
    let known = registeredObjects.filter {
      !$0.isInserted && ($0.changes != nil || registeredVersion($0) != nil) && isConcerned($0.storeEntity)
    }
    // Everything is read before anything is changed.
    var rows: [(object: ManagedObject, row: IncrementalStoreNode?)] = []
    var byRoot: [[ManagedObject]] = Array(repeating: [], count: model.entities.count)
    for object in known { byRoot[object.entity.root.index].append(object) }
    for (root, objects) in zip(model.entities, byRoot) where !objects.isEmpty {
      rows += zip(objects, try source.newValues(for: objects.map(\.reference), of: root)).map { ($0, $1) }
    }
    let locked = Set(tracker.locked.map { ObjectIdentifier($0) })
    let derived = model.entities.map { $0.attributes.filter { $0.derivation != nil } }
    // This precedes the change of the generation, which discards partially read rows.
    var stale: [(object: ManagedObject, row: IncrementalStoreNode?)] = []
    var changed: [(object: ManagedObject, row: IncrementalStoreNode?)] = []
    var same: [ManagedObject] = []
    for one in rows {
      if one.object.hasChanges || !locked.isEmpty && locked.contains(ObjectIdentifier(one.object)) {
        changed.append(one)
      } else if isStale(one.object, one.row, derived) {
        stale.append(one)
      } else if one.row != nil {
        same.append(one.object)
      }
    }
    let relinked = try same.withOtherDestinations(in: source)

    tracker.didChange()
    refresh(stale)
    for object in relinked { notifications.record(.refreshed, object) }
    try rebase(staleRows(changed, derived))
    try markDeleted(rows.filter { $0.row == nil }.map(\.object))
    let roots = Set(storeEntities.filter(isConcerned).map(\.entity.root.name))
    notifications.markStale { !$0.rootNames.isDisjoint(with: roots) }
  }

  /// Replaces the rows of unchanged objects.
  private func refresh(_ stale: [(object: ManagedObject, row: IncrementalStoreNode?)]) {
    for case (let object, let row?) in stale {
      graph.faulting.turnIntoFault(object)
      graph.fetching.adopt(row, object)
      notifications.record(.refreshed, object)
    }
  }

  /// The new rows of changed objects.
  ///
  /// To-manys of changed objects whose rows are the same become faults.
  private func staleRows(
    _ changed: [(object: ManagedObject, row: IncrementalStoreNode?)], _ derived: [[AttributeDescription]]
  ) -> [(object: ManagedObject, node: IncrementalStoreNode)] {
    var stale: [(object: ManagedObject, node: IncrementalStoreNode)] = []
    for case (let object, let row?) in changed {
      if isStale(object, row, derived) {
        stale.append((object, row))
      } else if !object.isDeleted {
        // The to-manys of deleted objects stay: undo cannot read them after the deletion is saved.
        object.changes?.refault()
      }
    }
    return stale
  }

  private func markDeleted(_ objects: [ManagedObject]) throws {
    for object in objects { try graph.faulting.markInaccessibleDeleted(object) }
    let ids = objects.filter { $0.state.contains(.deletedInStore) }.map(\.objectID)
    tracker.sweep()
    if !ids.isEmpty { forgetRelationships(to: ids) }
  }

  /// The version of an object's row, if the row or some of its fields were read.
  func registeredVersion(_ object: ManagedObject) -> Int64? {
    object.node?.version ?? object.batch?.partialVersion(object.reference, generation: tracker.generation)
  }

  /// Whether a row differs from the row that the object has.
  ///
  /// Attributes that are derived from other objects change without the version.
  /// - `derived`: The derived attributes by entity.
  private func isStale(
    _ object: ManagedObject, _ row: IncrementalStoreNode?, _ derived: [[AttributeDescription]]
  ) -> Bool {
    guard let row else { return false }
    if let version = registeredVersion(object), version != row.version { return true }
    guard let registered = object.node else { return false }
    return derived[object.entity.index].contains { registered.value(of: $0) != row.value(of: $0) }
  }
}

extension [ManagedObject] {
  /// The objects with a loaded, unchanged to-many whose stored destinations have changed.
  ///
  /// These to-manys become faults.
  fileprivate func withOtherDestinations(in source: any ContextSource) throws -> [ManagedObject] {
    var read: [ObjectIdentifier: [(object: ManagedObject, state: ToManyState)]] = [:]
    for object in self {
      for state in object.changes?.toManys ?? []
      where state.isLoaded && !state.hasChanges && !state.relationship.isTransient {
        read[ObjectIdentifier(state.relationship), default: []].append((object, state))
      }
    }
    var stale: [(object: ManagedObject, state: ToManyState)] = []
    for states in read.values {
      let relationship = states[0].state.relationship
      let now = try source.newValues(for: relationship, of: states.map(\.object.reference))
      for (place, one) in states.enumerated() {
        let (stored, registered) = (now.destinations(at: place), one.state.current ?? [])
        let isSame =
          relationship.isOrdered
          ? stored.elementsEqual(registered)
          : stored.count == registered.count && Set(stored) == Set(registered)
        if !isSame { stale.append((one.object, one.state)) }
      }
    }
    for one in stale { one.state.refault() }
    var seen: Set<ObjectIdentifier> = []
    return stale.map(\.object).filter { seen.insert(ObjectIdentifier($0)).inserted }
  }
}
