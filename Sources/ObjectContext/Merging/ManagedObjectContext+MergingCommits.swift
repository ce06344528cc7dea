import Foundation
import ObjectModel
import StoreContract

extension ManagedObjectContext {
  /// Takes in what others committed to a store: objects here whose rows have another version get the new row, one statement a root
  /// entity; unchanged ones at once, changed ones beneath their changes; those whose rows are gone are deleted. A changed
  /// object that was deleted stays, and saving it is a conflict. To-manys that were read are compared with the store's, one
  /// statement a relationship. Live results are fetched anew, one statement each. Faults and what is not here stay as they are.
  /// - Throws: `StoreError` when the store cannot be asked; nothing was taken in then.
  public func mergeChanges(from change: PersistentStoreRemoteChange) throws {
    forgetClosedStores()
    try renewQueryGeneration()
    try mergeCommits(to: [change.storeIdentifier])
    childInboxes.post(.committed(store: change.storeIdentifier), from: inbox)
    endEvent()
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
    for (root, objects) in Dictionary(grouping: known, by: \.entity.root) {
      rows += zip(objects, try source.newValues(for: objects.map(\.reference), of: root)).map { ($0, $1) }
    }
    let locked = Set(tracker.locked.map { ObjectIdentifier($0) })
    let unchanged = rows.filter { !$0.object.hasChanges && !locked.contains(ObjectIdentifier($0.object)) }
    let stale = unchanged.filter { isStale($0.object, $0.row) }
    let relinked = try unchanged.filter { $0.row != nil && !isStale($0.object, $0.row) }.map(\.object)
      .withOtherDestinations(in: source)

    tracker.didChange()
    for (object, row) in stale {
      guard let row else { continue }
      turnIntoFault(object)
      adopt(row, object)
      notifications.record(.refreshed, object)
    }
    for object in relinked { notifications.record(.refreshed, object) }
    var changed: [(object: ManagedObject, node: IncrementalStoreNode)] = []
    for (object, row) in rows where object.hasChanges || locked.contains(ObjectIdentifier(object)) {
      guard let row else { continue }
      guard isStale(object, row) else {
        // Once the deletion is saved an undo could not read them.
        if !object.isDeleted { object.changes?.refault() }
        continue
      }
      changed.append((object, row))
    }
    try rebase(changed)
    for (object, _) in changed {
      object.awakeFromSnapshotEvents(.refresh)
      notifications.record(.refreshed, object)
    }
    let gone = rows.filter { $0.row == nil }.map(\.object)
    for object in gone { try markInaccessibleDeleted(object) }
    let ids = gone.filter { $0.state.contains(.deletedInStore) }.map(\.objectID)
    tracker.sweep()
    if !ids.isEmpty { forgetRelationships(to: ids) }
    let roots = Set(storeEntities.filter(isConcerned).map(\.entity.root.name))
    notifications.markStale { !$0.rootNames.isDisjoint(with: roots) }
  }

  /// The version of what was read of an object's row, all of it or parts.
  func registeredVersion(_ object: ManagedObject) -> Int64? {
    object.node?.version ?? object.batch?.partialVersion(object.reference, generation: tracker.generation)
  }

  /// Whether a row is another one than the object has. What is derived from other objects changes without the version.
  private func isStale(_ object: ManagedObject, _ row: IncrementalStoreNode?) -> Bool {
    guard let row else { return false }
    if let version = registeredVersion(object), version != row.version { return true }
    guard let held = object.node else { return false }
    return object.entity.attributes.contains {
      $0.derivation != nil && held.value(of: $0) != row.value(of: $0)
    }
  }
}

extension [ManagedObject] {
  /// Those of which a to-many that was read, and not changed since, leads elsewhere now; what was read of it is let go of.
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
        let (stored, held) = (now.destinations(at: place), one.state.current ?? [])
        let isSame =
          relationship.isOrdered
          ? stored.elementsEqual(held) : stored.count == held.count && Set(stored) == Set(held)
        if !isSame { stale.append((one.object, one.state)) }
      }
    }
    for one in stale { one.state.refault() }
    var seen: Set<ObjectIdentifier> = []
    return stale.map(\.object).filter { seen.insert(ObjectIdentifier($0)).inserted }
  }
}
