package import ObjectModel
package import StoreContract

/// The objects of one context and their state; the context is its façade.
///
/// Each part owns its state: the object registry, the change tracker, the notifications and the
/// entity plans. Operations (`GraphOperation`) change the graph; between two operations the
/// invariants of `checkInvariants()` are true.
package final class ObjectGraph {
  let persistentStoreCoordinator: PersistentStoreCoordinator
  /// The graph that this graph reads from and saves to; nil if it reads from and saves to stores.
  let parent: ObjectGraph?
  // unowned(unsafe): the context clears it when it is deallocated, and nothing else sets it.
  /// The context that owns the graph; nil once it is deallocated.
  unowned(unsafe) var owner: AnyObject?
  /// The source that the graph reads from.
  @exclusivity(unchecked) var source: any ContextSource
  let isolation: ContextIsolation
  let model: ManagedObjectModel
  let classes: [ManagedObject.Type]
  let temporaryEntities: [StoreEntity]
  let plans: EntityPlans
  let registry: ObjectRegistry
  let tracker: ChangeTracker
  let notifications: ContextNotifications
  let inbox = ContextInbox()
  /// The graphs whose parent this is.
  private(set) var children: [WeakGraph] = []
  let childInboxes = Inboxes()
  /// The numbers of new objects with permanent IDs that were deleted unsaved, by root entity, for the
  /// children's saves.
  private(set) var discarded: [EntityDescription: Set<Int64>] = [:]

  // The context's properties of the same names document these.
  var name: String?
  var transactionAuthor: String?
  var mergePolicy = MergePolicy.error
  @exclusivity(unchecked) var shouldDeleteInaccessibleFaults = true
  @exclusivity(unchecked) var faultFailure: (any Error)?
  /// Whether a save is on its way: a program's own store may be running.
  var isSaving = false
  var undoRecorder: (any UndoRecorder)? { didSet { notifications.recordsUndo = undoRecorder != nil } }

  /// Whether saves leave the rules for values and relationships to a later `validateWhole(_:)`.
  @exclusivity(unchecked) package var defersValidation = false

  /// The changes that a merge policy made during the current save.
  var saveMerging: SaveMerging?
  /// The layer above that the context works for.
  package weak var host: AnyObject?
  /// The types as which the layer above presents objects, by the entity's index.
  @exclusivity(unchecked) package var presentedTypes: [Any.Type] = []
  /// Whether the layer above has objects that it has to adopt before it answers anything.
  @exclusivity(unchecked) package var hasWaiting = false

  @exclusivity(unchecked) private var storeEntitiesOfStores: [StoreEntity]
  @exclusivity(unchecked) private var knownStoreChanges = 0
  @exclusivity(unchecked) private var forgottenStoreChanges: Int
  /// The coordinator's count of store removals when `forgetClosedStores()` last ran.
  @exclusivity(unchecked) private(set) var knownRemovals = 0

  struct WeakGraph { weak var graph: ObjectGraph? }

  /// - `source`: Where the graph reads.
  init(
    _ coordinator: PersistentStoreCoordinator, parent: ObjectGraph?, source: any ContextSource,
    isolation: ContextIsolation
  ) {
    self.persistentStoreCoordinator = coordinator
    self.parent = parent
    self.isolation = isolation
    self.source = source
    knownRemovals = coordinator.storeRemovals
    // Nothing is in the graph yet that could be of a closed store.
    forgottenStoreChanges = coordinator.storeChanges
    model = coordinator.managedObjectModel
    classes = coordinator.objectClasses
    temporaryEntities = coordinator.temporaryEntities
    plans = EntityPlans(coordinator.managedObjectModel)
    registry = ObjectRegistry(coordinator)
    tracker = ChangeTracker(plans)
    notifications = ContextNotifications(tracker)
    storeEntitiesOfStores = coordinator.temporaryEntities
    (parent?.childInboxes ?? coordinator.inboxes).add(inbox)
    parent?.children.removeAll { $0.graph == nil }
    parent?.children.append(WeakGraph(graph: self))
  }

  deinit { unregisterAll() }

  /// The store entities by entity index; those of temporary IDs where no store has the entity.
  var storeEntities: [StoreEntity] {
    let changes = persistentStoreCoordinator.storeChanges
    if changes != knownStoreChanges {
      knownStoreChanges = changes
      storeEntitiesOfStores = persistentStoreCoordinator.storeEntities
    }
    return storeEntitiesOfStores
  }

  /// The query generation that the graph is pinned to.
  var queryGenerationToken: QueryGenerationToken? { source as? QueryGenerationToken }

  /// The registered objects without those that were deleted elsewhere.
  var registeredObjects: [ManagedObject] {
    registry.objects.filter { !$0.state.contains(.deletedInStore) }
  }

  /// The registered object of an ID.
  func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
    guard let entity = model.entity(named: id.entity.name), let known = registry.object(entity, id.reference),
      known.objectID == id
    else { return nil }
    return known
  }

  // MARK: Making and removing objects

  func make(
    _ storeEntity: StoreEntity, _ reference: Int64, _ node: IncrementalStoreNode?, _ batch: FetchBatch?
  ) -> ManagedObject {
    let object = classes[storeEntity.entityIndex].init(
      ManagedObject.Seed(
        storeEntity: storeEntity, reference: reference, graph: self,
        node: node.map { UnmanagedNode(unretained: $0) }, batch: batch))
    registry.insert(object)
    if node != nil { object.awakeFromFetch() }
    return object
  }

  /// Adds a new object to the registry and the lists of changes.
  func insert(_ object: ManagedObject) {
    if object.graph !== self {
      object.graph = self
      registry.insert(object)
    }
    object.state = [.inserted]
    tracker.addInserted(object)
    if notifications.isWatched {
      record(.inserted(object))
      notifications.record(.inserted, object)
    }
    object.awakeFromInsert()
    tracker.didReceiveChanges?()
  }

  /// Removes an object and its values: its row was deleted, or never existed.
  ///
  /// It may still be in lists of changes: `tracker.sweep()`.
  func forget(_ object: ManagedObject) {
    dismiss(object)
    object.changes = nil
    object.node = nil
  }

  /// Removes a new object that is not to be saved; the object retains its values.
  func discard(_ object: ManagedObject) {
    // An unknown temporary number is that of a deleted object; an unknown permanent one may be stored.
    if object.reference > 0, !children.isEmpty {
      discarded[object.entity.root, default: []].insert(object.reference)
    }
    dismiss(object)
  }

  /// Notes that a new object is to be saved after all.
  func readmit(_ object: ManagedObject) {
    if !discarded.isEmpty { discarded[object.entity.root]?.remove(object.reference) }
  }

  /// Removes an object from the graph; the object retains its values.
  func dismiss(_ object: ManagedObject) {
    object.state = [.deletedInStore]
    registry.remove(object)
    object.leaveGraph()
  }

  /// Removes the objects of closed stores, since another store may use their reference numbers.
  func forgetClosedStores() {
    let changes = persistentStoreCoordinator.storeChanges
    if changes == forgottenStoreChanges { return }
    forgottenStoreChanges = changes
    knownRemovals = persistentStoreCoordinator.storeRemovals
    tracker.didChange()
    let open = Set(persistentStoreCoordinator.persistentStores.map(\.identifier))
    for object in registry.objects where object.reference > 0 {
      guard let store = object.storeEntity.storeIdentifier, !open.contains(store) else { continue }
      notifications.record(.deleted, object)
      forget(object)
    }
    tracker.sweep()
    notifications.markStale()
  }

  /// Removes every object from the graph, changed or not.
  func unregisterAll() {
    let retained = tracker.pending + tracker.locked
    tracker.removeAll()
    tracker.removeAllDeferredDeletions()
    registry.removeAll()
    withExtendedLifetime(retained) {}
  }

  // MARK: Events and errors

  /// Ends the event without merging the saves of other contexts.
  func endEvent() {
    undoRecorder?.endEvent()
    notifications.endEvent(name)
    checkInvariants()
  }

  /// Records the error of a read that cannot throw.
  package func recordFaultFailure(_ error: any Error) {
    if shouldDeleteInaccessibleFaults, (error as? ContextError)?.code == .objectNotFound { return }
    faultFailure = faultFailure ?? error
  }

  func objectNotFound(_ object: ManagedObject) -> ContextError {
    ContextError(
      .objectNotFound,
      "\(object.entity.name) \(object.objectID) is no longer in the store: it was deleted elsewhere")
  }

  /// In debug builds, between operations: checks the invariants of each part, of graphs that are not large.
  ///
  /// O(objects).
  func checkInvariants() {
    #if DEBUG
      // A program that is built for debugging may have very many objects, and saves often.
      if registry.count > 10_000 { return }
      registry.checkInvariants()
      tracker.checkInvariants(registry)
      notifications.checkInvariants()
      undoRecorder?.checkInvariants()
      assert(saveMerging == nil, "an event ended while a merge policy was at work")
      assert(owner != nil, "a graph without a context changed")
      for object in tracker.pending { assert(object.graph === self, "\(object) belongs to another graph") }
    #endif
  }
}

extension ObjectGraph: NodeLookup {
  /// The stored row of a registered object.
  package func registeredNode(_ root: EntityDescription, _ reference: Int64) -> IncrementalStoreNode? {
    registry.object(root, reference)?.node
  }
}
