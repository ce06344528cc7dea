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
  @exclusivity(unchecked) private(set) var identities: [IdentityMapBox]
  /// Whether a store wants to know which objects are held.
  private let hasRegistrar: Bool
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
  /// Rises whenever rows fetched ahead may be out of date.
  @exclusivity(unchecked) var generation = 0
  /// Rises whenever an object is found to be deleted by others.
  @exclusivity(unchecked) var deletions = 0

  /// The new objects, in the order they were inserted.
  var insertedList: [ManagedObject] {
    get {
      sweepInserted()
      return insertions
    }
    set { (insertions, takenBack) = (newValue, 0) }
  }
  /// Those and `takenBack` others that were deleted before they were ever saved. They are swept out when the list is next read,
  /// so that deleting many one by one is not a search for each.
  @exclusivity(unchecked) private var insertions: [ManagedObject] = []
  private var takenBack = 0
  @exclusivity(unchecked) var updatedList: [ManagedObject] = []
  /// Those among both that have relationships without an inverse; some may have no changes any more.
  var unidirectionalHolders: [ManagedObject] = []
  @exclusivity(unchecked) var deletedList: [ManagedObject] = []
  /// Changed objects that are known to be deleted by others: they stay while they have changes.
  var deferredDeletions: [ManagedObject] = []
  /// Unchanged objects whose version the next save checks.
  var lockedList: [ManagedObject] = []
  /// While a save is under way whose conflicts the merge policy decides.
  var merging: SaveMerging?

  /// Whether each value that is set has to be told to somebody: the undo manager or observers.
  @exclusivity(unchecked) private(set) var isWatched = false
  package internal(set) var isObserved = false { didSet { updateWatch() } }
  @exclusivity(unchecked) var changeLog = ChangeLog()
  var liveResults: [WeakObserver] = []
  let (willSaveStreams, saveStreams, changeStreams) = (
    ChangeStreams<ContextChanges>(), ChangeStreams<ContextChanges>(), ChangeStreams<ContextChanges>()
  )
  /// Ends the event later, where the isolation allows.
  var eventEnd: (() -> Void)?
  var isEventEndScheduled = false
  /// Called when an object has changes that had none.
  package var didReceiveChanges: (() -> Void)?
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
      updateWatch()
    }
  }

  /// One root entity's identity map.
  final class IdentityMapBox { @exclusivity(unchecked) var map = IdentityMap() }

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
    (parent?.childInboxes ?? coordinator.inboxes).add(inbox)
    storeEntitiesOfStores = coordinator.temporaryEntities
    hasRegistrar = coordinator.persistentStores.contains { $0.observesRegistrations }
    var byRoot: [Int: IdentityMapBox] = [:]
    identities = model.entities.map { entity in
      if let box = byRoot[entity.root.index] { return box }
      let box = IdentityMapBox()
      byRoot[entity.root.index] = box
      return box
    }
  }

  deinit {
    unregisterAll()
    for streams in [willSaveStreams, saveStreams, changeStreams] { streams.finish() }
  }

  private func updateWatch() {
    let wasWatched = isWatched
    isWatched = isObserved || undoManager != nil
    guard isWatched, !wasWatched else { return }
    for object in insertedList + updatedList + deletedList { object.changes?.overwritable = nil }
  }

  // MARK: Identity

  @inline(__always)
  func registered(_ entity: EntityDescription, _ reference: Int64) -> ManagedObject? {
    identities[entity.index].map.object(reference)
  }

  func register(_ object: ManagedObject) {
    identities[object.entity.index].map.insert(object)
    if object.needsContext { object.keeper = self }
    if hasRegistrar, object.reference > 0 {
      registrar(object.entity)?.managedObjectContextDidRegisterObjects(with: [object.objectID])
    }
  }

  func unregister(_ object: ManagedObject) {
    let box = identities[object.entity.index]
    // A successor of the same ID may be there already.
    guard box.map.object(object.reference) === object else { return }
    box.map.remove(object.reference)
    if hasRegistrar, object.reference > 0 {
      registrar(object.entity)?.managedObjectContextDidUnregisterObjects(with: [object.objectID])
    }
  }

  /// Lets go of the objects of stores that were closed, whose numbers another store may give to others.
  func forgetClosedStores() {
    let changes = persistentStoreCoordinator.storeChanges
    if changes == forgottenStoreChanges { return }
    forgottenStoreChanges = changes
    knownRemovals = persistentStoreCoordinator.storeRemovals
    generation += 1
    let open = Set(persistentStoreCoordinator.persistentStores.map(\.identifier))
    for object in retainedObjects where object.reference > 0 {
      guard let store = object.storeEntity.storeIdentifier, !open.contains(store) else { continue }
      recordChange(.deleted, object)
      forget(object)
    }
    sweepLists()
    markStale()
  }

  private func registrar(_ entity: EntityDescription) -> (any IncrementalStore)? {
    (try? persistentStoreCoordinator.persistentStore(for: entity)).flatMap {
      $0.observesRegistrations ? $0 : nil
    }
  }

  func make(
    _ storeEntity: StoreEntity, _ reference: Int64, _ node: IncrementalStoreNode?, _ batch: FetchBatch?
  )
    -> ManagedObject
  {
    let object = classes[storeEntity.entity.index].init(
      ManagedObject.Seed(
        storeEntity: storeEntity, reference: reference, context: self, node: node, batch: batch))
    register(object)
    if node != nil { object.awakeFromFetch() }
    return object
  }

  /// Whoever saved the context is gone: what is changed no longer keeps it alive, and is lost with it. New objects are nobody's.
  package func losesHost() {
    // What it could bring back would keep objects, and they this context.
    undoManager?.removeAllActions()
    let new = insertedList
    insertedList = []
    for object in new {
      unregister(object)
      object.losesContext()
    }
    for object in updatedList + deletedList {
      object.keeper = nil
      object.dirty = 0
    }
  }

  func unregisterAll() {
    let held = insertedList + updatedList + deletedList + lockedList
    (lockedList, deferredDeletions, insertedList, updatedList) = ([], [], [], [])
    unidirectionalHolders = []
    deletedList = []
    var roots: Set<ObjectIdentifier> = []
    for box in identities where roots.insert(ObjectIdentifier(box)).inserted {
      var ids: [ManagedObjectID] = []
      box.map.forEach {
        if hasRegistrar, $0.reference > 0 { ids.append($0.objectID) }
        $0.losesContext()
      }
      if let first = ids.first {
        registrar(first.entity)?.managedObjectContextDidUnregisterObjects(with: ids)
      }
      box.map = IdentityMap()
    }
    withExtendedLifetime(held) {}
  }

  package func recordFaultFailure(_ error: any Error) {
    if shouldDeleteInaccessibleFaults, (error as? ContextError)?.code == .objectNotFound { return }
    faultFailure = faultFailure ?? error
  }

  // MARK: Changes

  func recordUpdate(_ object: ManagedObject) {
    if object.state.isDisjoint(with: [.updated, .inserted, .deletedInStore]) {
      object.state.insert(.updated)
      listUpdated(object)
      didReceiveChanges?()
    }
  }

  /// - Parameter object: One that is new, or was swept out by `sweepInserted()` before it became new again.
  func listInserted(_ object: ManagedObject) {
    insertions.append(object)
    if plans.hasUnidirectional, plans.holdsUnidirectional(object.entity) {
      unidirectionalHolders.append(object)
    }
  }

  /// Objects are gone that were new.
  func takeBackInsertions(_ count: Int) { takenBack += count }

  func sweepInserted() {
    if takenBack == 0 { return }
    takenBack = 0
    insertions.removeAll { $0.state.contains(.deletedInStore) }
  }

  func listUpdated(_ object: ManagedObject) {
    updatedList.append(object)
    if plans.hasUnidirectional, plans.holdsUnidirectional(object.entity) {
      unidirectionalHolders.append(object)
    }
  }

  /// Whether the next save has something to do.
  public var hasChanges: Bool {
    insertions.count > takenBack || !updatedList.isEmpty || !deletedList.isEmpty
  }
  /// New objects, in the order they were inserted.
  public var insertedObjects: [ManagedObject] { insertedList.filter { $0.isInserted && !$0.isDeleted } }
  /// Changed objects.
  public var updatedObjects: [ManagedObject] { updatedList.filter { $0.isUpdated && !$0.isDeleted } }
  /// Objects that the next save removes.
  public var deletedObjects: [ManagedObject] { deletedList }
  /// The number of objects alive in this context.
  public var registeredObjectCount: Int {
    var seen: Set<ObjectIdentifier> = []
    return identities.reduce(0) { seen.insert(ObjectIdentifier($1)).inserted ? $0 + $1.map.count : $0 }
  }

  /// The objects alive in this context, without those that others deleted.
  public var registeredObjects: [ManagedObject] {
    retainedObjects.filter { !$0.state.contains(.deletedInStore) }
  }

  /// Those too.
  var retainedObjects: [ManagedObject] {
    var result: [ManagedObject] = []
    var seen: Set<ObjectIdentifier> = []
    for box in identities where seen.insert(ObjectIdentifier(box)).inserted {
      box.map.forEach { result.append($0) }
    }
    return result
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
    object.changes = ObjectChanges(defaultsOf: entity, isWatched: isWatched)
    object.state.insert(.inserted)
    listInserted(object)
    if isWatched {
      record(.inserted(object))
      recordChange(.inserted, object)
    }
    object.awakeFromInsert()
    didReceiveChanges?()
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
    sweepInserted()
    object.storeEntity = temporaryEntities[entity.index]
    if object.reference >= 0 { object.reference = ManagedObjectID.nextTemporaryReference() }
    object.managedObjectContext = self
    object.state = [.inserted]
    if isWatched { object.changes?.overwritable = nil }
    register(object)
    listInserted(object)
    if isWatched {
      record(.inserted(object))
      recordChange(.inserted, object)
    }
    object.awakeFromInsert()
    didReceiveChanges?()
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
