import ObjectModel
import StoreContract

extension ManagedObjectContext {
  /// Saves every change in one transaction: checks the model's rules, takes permanent IDs for new objects, writes.
  ///
  /// Issues one prepared statement per entity and kind, run once per object; nothing when nothing changed. On an
  /// error nothing is saved and every change is still here (new objects may have permanent IDs already).
  /// - Throws: `ContextError` with code `validation` and every broken rule; `StoreError` with code `conflict` when
  ///   rows were changed elsewhere since they were read, `notUnique`, `diskFull` and others.
  public func save() throws {
    if let faultFailure { throw faultFailure }
    try mergeBatches()
    guard hasChanges else { return }
    willSaveAll()
    let deleted = deletedList
    let updated = updatedList.filter { !$0.isDeleted && !$0.isInserted && !$0.state.contains(.gone) }
    var validation = Validation(plans)
    for object in insertedList { try validation.check(object) }
    for object in updated { try validation.check(object) }
    for object in deleted { try validation.checkDeletion(object) }
    try validation.throwFailures()

    try takePermanentIDs(also: updated)
    let plan = try SavePlan(plans, inserted: insertedList, updated: updated, deleted: deleted)
    if !plan.request.isEmpty { _ = try coordinator.execute(plan.request, lookup: nil) }
    let saved = insertedList + updated + deleted
    settle(plan, updated: updated, deleted: deleted)
    refreshDerived(saved)
  }

  /// Turns objects whose derived attributes the store has computed anew into faults, which fire together.
  private func refreshDerived(_ saved: [ManagedObject]) {
    var entities: Set<Entity> = []
    for object in saved { entities.formUnion(object.entity.derivedEntities) }
    if entities.isEmpty { return }
    var stale: [Entity: [ManagedObject]] = [:]
    for object in registeredObjects where !object.hasChanges && object.node != nil {
      if entities.contains(where: object.entity.isKind) {
        stale[object.entity.root, default: []].append(object)
      }
    }
    for (root, objects) in stale {
      let batch = FetchBatch(root, objects.map(\.reference), generation: generation)
      for object in objects {
        object.node = nil
        object.batch = batch
      }
    }
  }

  /// Hooks may change further objects; those get their turn too.
  private func willSaveAll() {
    var seen: Set<ObjectIdentifier> = []
    var again = true
    while again {
      again = false
      for object in insertedList + updatedList + deletedList
      where seen.insert(ObjectIdentifier(object)).inserted {
        object.willSave()
        again = true
      }
    }
  }

  /// Gives new objects their permanent IDs ahead of the save. A statement or two.
  /// - Throws: `StoreError` when the store cannot give any.
  public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
    try takePermanentIDs(objects.filter { $0.isInserted }, also: updatedList + insertedList)
  }

  private func takePermanentIDs(also updated: [ManagedObject]) throws {
    try takePermanentIDs(insertedList, also: updated)
  }

  private func takePermanentIDs(_ objects: [ManagedObject], also others: [ManagedObject]) throws {
    let new = objects.filter { $0.reference < 0 }
    if new.isEmpty { return }
    let ids = try coordinator.obtainPermanentIDs(for: new.map(\.entity))
    let permanent = RenamedReferences(new.map(\.reference), ids.map(\.reference))
    for (object, id) in zip(new, ids) {
      unregister(object)
      object.reference = id.reference
      object.storeEntity = id.storeEntity
      register(object)
    }
    for object in insertedList { object.changes?.rename(permanent) }
    for object in others { object.changes?.rename(permanent) }
  }

  private func settle(_ plan: SavePlan, updated: [ManagedObject], deleted: [ManagedObject]) {
    generation += 1
    let inserted = insertedList
    insertedList = []
    updatedList = []
    deletedList = []
    for (object, node) in zip(inserted, plan.request.inserted) { settle(object, node) }
    for object in updated { settle(object, nil) }
    for (object, change) in plan.updates { settle(object, change) }
    for object in deleted {
      object.state = [.gone]
      unregister(object)
      object.managedObjectContext = nil
    }
    for object in inserted { object.didSave() }
    for object in updated { object.didSave() }
    for object in deleted { object.didSave() }
  }

  private func settle(_ object: ManagedObject, _ node: IncrementalStoreNode?) {
    object.state.subtract([.inserted, .updated])
    if let node { object.node = node }
    guard let changes = object.changes else { return }
    changes.settle(plans[object.entity].transientSlots)
    object.changes = changes.changed.isEmpty && changes.toManys.isEmpty ? nil : changes
  }

  /// Drops every change: new objects go away, changed and deleted ones are as last read or saved.
  public func rollback() {
    generation += 1
    faultFailure = nil
    let inserted = insertedList
    let others = updatedList + deletedList
    insertedList = []
    updatedList = []
    deletedList = []
    for object in inserted {
      object.state = [.gone]
      unregister(object)
      object.managedObjectContext = nil
    }
    for object in others {
      object.state.subtract([.updated, .deleted])
      object.changes = nil
    }
  }

  /// Forgets every object, changed or not; objects still held outside can no longer be used.
  public func reset() {
    generation += 1
    faultFailure = nil
    letGoOfAll()
  }
}
