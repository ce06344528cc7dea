package import ObjectModel
import ObjectQuery
import StoreContract

/// A scratch pad of objects: fetches them, tracks what is changed in them, saves the changes in one transaction.
///
/// Not Sendable: use a context and its objects on one isolation. Holds changed objects strongly and others not at
/// all, so what a program lets go of is freed.
public final class ManagedObjectContext {
  /// The coordinator whose stores this context, or the one it is a child of, works on.
  public let persistentStoreCoordinator: PersistentStoreCoordinator
  /// The context that this one reads from and saves to; nil when those are the stores.
  public let parent: ManagedObjectContext?
  /// A name for messages, and for those who hear of this context's saves.
  public var name: String?
  /// What happens when a save meets rows that were changed elsewhere since they were read, or a broken uniqueness
  /// constraint. `MergePolicy.error` refuses to save.
  public var mergePolicy = MergePolicy.error
  /// Whether a fault whose row is gone turns into a deleted object with empty values, of which no save takes note. Otherwise
  /// reading it throws `objectGone`.
  public var shouldDeleteInaccessibleFaults = true
  /// Whether saves of other contexts on the coordinator (in a child: of its parent and siblings), and what other processes
  /// commit to its stores, are taken in by themselves: in a `BackgroundContext` and a container's `viewContext` at once, in
  /// others when they are next used.
  public var automaticallyMergesChangesFromParent: Bool {
    get { inbox.wantsSaves.load(ordering: .relaxed) }
    set {
      inbox.wantsSaves.store(newValue, ordering: .relaxed)
      if newValue, parent == nil { persistentStoreCoordinator.watchStores() }
    }
  }
  /// Where this context reads.
  @exclusivity(unchecked) var source: any ContextSource
  let isolation: ContextIsolation
  let model: ManagedObjectModel
  let classes: [ManagedObject.Type]
  let temporaryEntities: [StoreEntity]
  let registry: ObjectRegistry
  let tracker: ChangeTracker
  let notifications: ContextNotifications
  let plans: EntityPlans
  /// The stores' own, or those of temporary IDs where no store has the entity.
  var storeEntities: [StoreEntity] {
    let changes = persistentStoreCoordinator.storeChanges
    if changes != knownStoreChanges {
      knownStoreChanges = changes
      storeEntitiesOfStores = persistentStoreCoordinator.storeEntities
    }
    return storeEntitiesOfStores
  }
  @exclusivity(unchecked) private var storeEntitiesOfStores: [StoreEntity]
  @exclusivity(unchecked) private var knownStoreChanges = 0
  @exclusivity(unchecked) private var forgottenStoreChanges = 0
  @exclusivity(unchecked) private(set) var knownRemovals = 0
  let inbox = ContextInbox()
  /// Why a read by an accessor that cannot throw brought nothing; nil when all went well. While it is set, `save()`
  /// throws it, so that nothing is written over what could not be read. `rollback()` and `reset()` clear it.
  public internal(set) var faultFailure: (any Error)?
  /// While a save is under way whose conflicts the merge policy decides.
  var merging: SaveMerging?

  /// Whether streams or live results observe this context.
  package var isObserved: Bool { notifications.isObserved }
  /// Called when an object has changes that had none.
  package var didReceiveChanges: (() -> Void)? {
    get { tracker.didReceiveChanges }
    set { tracker.didReceiveChanges = newValue }
  }
  /// The layer above that this context works for.
  package weak var host: AnyObject?
  /// Whether the layer above has objects that it is to adopt before it answers anything.
  package var hasWaiting = false
  /// What the layer above shows objects as, by the entity's index.
  package var shownTypes: [Any.Type] = []
  /// The contexts whose parent this is.
  var children: [WeakContext] = []
  let childInboxes = Inboxes()

  struct WeakContext { weak var context: ManagedObjectContext? }

  /// Records changes, so that they can be taken back; nil, as at first, records none.
  public var undoManager: UndoManager? {
    didSet {
      if oldValue !== undoManager { oldValue?.context = nil }
      undoManager?.context = self
      notifications.recordsUndo = undoManager != nil
    }
  }

  /// Makes a context on a coordinator. Issues no statement.
  /// - Parameter isolation: The actor that it is used on; debug builds stop uses elsewhere. Nil where no actor runs.
  public convenience init(_ coordinator: PersistentStoreCoordinator, isolation: (any Actor)? = #isolation) {
    self.init(coordinator, isolation: ContextIsolation(isolation))
  }

  /// Makes a child of another context: it sees the parent's unsaved changes, and saves into the parent, which saves into
  /// the stores. It lives where its parent does. Issues no statement.
  public convenience init(parent: ManagedObjectContext) {
    self.init(parent.persistentStoreCoordinator, parent: parent, isolation: parent.isolation)
    parent.children.removeAll { $0.context == nil }
    parent.children.append(WeakContext(context: self))
  }

  init(
    _ coordinator: PersistentStoreCoordinator, parent: ManagedObjectContext? = nil,
    isolation: ContextIsolation
  ) {
    self.persistentStoreCoordinator = coordinator
    self.parent = parent
    self.isolation = isolation
    source = parent.map { ParentContext($0) } ?? coordinator
    knownRemovals = coordinator.storeRemovals
    model = coordinator.managedObjectModel
    classes = coordinator.objectClasses
    temporaryEntities = coordinator.temporaryEntities
    plans = EntityPlans(coordinator.managedObjectModel)
    registry = ObjectRegistry(coordinator)
    tracker = ChangeTracker(plans)
    notifications = ContextNotifications(tracker)
    (parent?.childInboxes ?? coordinator.inboxes).add(inbox)
    storeEntitiesOfStores = coordinator.temporaryEntities
  }

  deinit { unregisterAll() }

  // MARK: Identity

  /// Lets go of the objects of stores that were closed, whose numbers another store may give to others.
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

  func make(
    _ storeEntity: StoreEntity, _ reference: Int64, _ node: IncrementalStoreNode?, _ batch: FetchBatch?
  )
    -> ManagedObject
  {
    let object = classes[storeEntity.entity.index].init(
      ManagedObject.Seed(
        storeEntity: storeEntity, reference: reference, context: self, node: node, batch: batch))
    registry.insert(object)
    if node != nil { object.awakeFromFetch() }
    return object
  }

  /// Whoever saved the context is gone: what is changed no longer keeps it alive, and is lost with it. New objects are nobody's.
  package func losesHost() {
    // What it could bring back would keep objects, and they this context.
    undoManager?.removeAllActions()
    let new = tracker.inserted
    tracker.removeAllInserted()
    for object in new {
      registry.remove(object)
      object.losesContext()
    }
    for object in tracker.updated + tracker.deleted {
      object.keeper = nil
      object.dirty = 0
    }
  }

  func unregisterAll() {
    let retained = tracker.pending + tracker.locked
    tracker.removeAll()
    tracker.removeAllDeferredDeletions()
    registry.removeAll()
    withExtendedLifetime(retained) {}
  }

  /// In debug builds, between operations: checks what each part says of itself. O(objects).
  func checkInvariants() {
    #if DEBUG
      registry.checkInvariants()
      tracker.checkInvariants(registry)
      notifications.checkInvariants()
    #endif
  }

  package func recordFaultFailure(_ error: any Error) {
    if shouldDeleteInaccessibleFaults, (error as? ContextError)?.code == .objectNotFound { return }
    faultFailure = faultFailure ?? error
  }

  // MARK: Changes

  /// Whether the next save has something to do.
  public var hasChanges: Bool { tracker.hasChanges }
  /// New objects, in the order they were inserted.
  public var insertedObjects: [ManagedObject] { tracker.inserted.filter { $0.isInserted && !$0.isDeleted } }
  /// Changed objects.
  public var updatedObjects: [ManagedObject] { tracker.updated.filter { $0.isUpdated && !$0.isDeleted } }
  /// Objects that the next save removes.
  public var deletedObjects: [ManagedObject] { tracker.deleted }
  /// The number of objects alive in this context.
  public var registeredObjectCount: Int { registry.count }

  /// The objects alive in this context, without those that others deleted.
  public var registeredObjects: [ManagedObject] {
    registry.objects.filter { !$0.state.contains(.deletedInStore) }
  }

  // MARK: Inserting

  /// Makes a new object of an entity, with its default values. Issues no statement.
  /// - Throws: `unknownName`, or `abstractEntity`.
  @discardableResult
  public func insert(_ entityName: String) throws -> ManagedObject {
    #if DEBUG
      isolation.check { "a context" }
    #endif
    guard let entity = model.entity(named: entityName) else {
      throw ContextError(.unknownKey, "the model has no entity \(entityName)")
    }
    guard !entity.isAbstract else {
      throw ContextError(.abstractEntity, "\(entityName) is abstract; insert one of its subentities")
    }
    let object = make(temporaryEntities[entity.index], ManagedObjectID.nextTemporaryReference(), nil, nil)
    object.changes = ObjectChanges(defaultsOf: entity, isWatched: notifications.isWatched)
    object.state.insert(.inserted)
    tracker.addInserted(object)
    if notifications.isWatched {
      record(.inserted(object))
      notifications.record(.inserted, object)
    }
    object.awakeFromInsert()
    tracker.didReceiveChanges?()
    return object
  }

  /// Takes in an object that no context has: it is new here, with the values it has. Its relationships have to be empty.
  /// - Precondition: The object is detached, and the entity has the property indexes of the one it was made with.
  package func adopt(_ object: ManagedObject, as entity: EntityDescription) {
    #if DEBUG
      isolation.check { "a context" }
    #endif
    precondition(
      object.managedObjectContext == nil && entity.propertyCount == object.entity.propertyCount,
      "a \(entity.name) can be taken in by one context only")
    tracker.sweepInserted()
    object.storeEntity = temporaryEntities[entity.index]
    if object.reference >= 0 { object.reference = ManagedObjectID.nextTemporaryReference() }
    object.managedObjectContext = self
    object.state = [.inserted]
    if notifications.isWatched { object.changes?.overwritable = nil }
    registry.insert(object)
    tracker.addInserted(object)
    if notifications.isWatched {
      record(.inserted(object))
      notifications.record(.inserted, object)
    }
    object.awakeFromInsert()
    tracker.didReceiveChanges?()
  }

  /// Makes a new object of the entity that a class is registered for.
  /// - Throws: as `insert(_:)`.
  @discardableResult
  public func insert<T: ManagedObject>(_ type: T.Type) throws -> T {
    let entity = try entity(for: type)
    guard let object = try insert(entity.name) as? T else {
      throw ContextError(.unknownKey, "\(T.self) is not registered for \(entity.name)")
    }
    return object
  }

  func entity<T: ManagedObject>(for type: T.Type) throws -> EntityDescription {
    if let index = classes.firstIndex(where: { $0 == type && type != ManagedObject.self }) {
      return model.entities[index]
    }
    throw ContextError(
      .unknownKey, "\(T.self) is not registered for any entity; register it with the container")
  }
}
