/// A scratch pad of objects: fetches them, tracks their changes, saves these in one transaction.
///
/// Not Sendable: use a context and its objects on one isolation. A context retains changed objects; an
/// unchanged object lives as long as the program refers to it.
public final class ManagedObjectContext: UndoTarget {
  package let graph: ObjectGraph
  /// The context that this one reads from and saves to; nil when those are the stores.
  public let parent: ManagedObjectContext?
  /// Records changes, so that they can be undone; nil, as at first, records none.
  public var undoManager: UndoManager? {
    didSet {
      if oldValue !== undoManager { oldValue?.target = nil }
      undoManager?.target = self
      graph.undoRecorder = undoManager
    }
  }

  /// Makes a context on a coordinator.
  ///
  /// Issues no statement.
  /// - Parameters:
  ///   - coordinator: Where the context reads and saves.
  ///   - isolation: The actor that it is used on; debug builds stop uses elsewhere.
  public convenience init(_ coordinator: PersistentStoreCoordinator, isolation: (any Actor)? = #isolation) {
    self.init(coordinator, isolation: ContextIsolation(isolation))
  }

  /// Makes a child of another context: it sees the parent's unsaved changes, and saves into the parent, which
  /// saves into the stores.
  ///
  /// It is used on its parent's isolation. Issues no statement.
  public init(parent: ManagedObjectContext) {
    self.parent = parent
    graph = ObjectGraph(
      parent.persistentStoreCoordinator, parent: parent.graph, source: ParentSource(parent.graph),
      isolation: parent.graph.isolation)
    graph.owner = self
  }

  init(_ coordinator: PersistentStoreCoordinator, isolation: ContextIsolation) {
    parent = nil
    graph = ObjectGraph(coordinator, parent: nil, source: coordinator, isolation: isolation)
    graph.owner = self
  }

  deinit {
    graph.unregisterAll()
    graph.owner = nil
  }

  // MARK: Settings

  /// The coordinator whose stores this context, or the one it is a child of, works on.
  public var persistentStoreCoordinator: PersistentStoreCoordinator { graph.persistentStoreCoordinator }

  /// A name for messages, and for observers of this context's saves.
  public var name: String? {
    get { graph.name }
    set { graph.name = newValue }
  }

  /// Who saves, for the stores' history (`PersistentHistoryTransaction.author`); nil for nobody in
  /// particular.
  ///
  /// A child context saves into its parent, whose author counts.
  public var transactionAuthor: String? {
    get { graph.transactionAuthor }
    set { graph.transactionAuthor = newValue }
  }

  /// What a save does about rows that were changed elsewhere and broken constraints; refuses at first.
  public var mergePolicy: MergePolicy {
    get { graph.mergePolicy }
    set { graph.mergePolicy = newValue }
  }

  /// Whether a fault whose row was deleted turns into a deleted object with empty values, which saves ignore;
  /// else reading it throws `objectNotFound`.
  public var shouldDeleteInaccessibleFaults: Bool {
    get { graph.shouldDeleteInaccessibleFaults }
    set { graph.shouldDeleteInaccessibleFaults = newValue }
  }

  /// Whether saves of other contexts on the coordinator (of parent and siblings) and commits of other
  /// processes are merged: by a `BackgroundContext` and a container's `viewContext` at once, by others when
  /// next used.
  public var automaticallyMergesChangesFromParent: Bool {
    get { graph.inbox.wantsSaves.load(ordering: .relaxed) }
    set {
      graph.inbox.wantsSaves.store(newValue, ordering: .relaxed)
      if newValue, parent == nil { persistentStoreCoordinator.watchStores() }
    }
  }

  /// Why a read by an accessor that cannot throw failed; nil when none did.
  ///
  /// While it is set, `save()` throws it, so that nothing overwrites what could not be read. `rollback()`,
  /// `reset()` and `clearFaultFailure()` clear it.
  public var faultFailure: (any Error)? { graph.faultFailure }

  /// Says that the program has seen `faultFailure`, and lets `save()` save what it set since.
  ///
  /// Read again first what was empty when it could not be read: a value that was computed from it is wrong.
  public func clearFaultFailure() { graph.faultFailure = nil }

  func recordFaultFailure(_ error: any Error) { graph.recordFaultFailure(error) }

  /// The query generation this context reads; nil while it reads what is stored now.
  public var queryGenerationToken: QueryGenerationToken? { graph.queryGenerationToken }

  // MARK: Changes

  /// Whether the next save has something to do.
  public var hasChanges: Bool { graph.tracker.hasChanges }
  /// New objects, in the order they were inserted.
  public var insertedObjects: [ManagedObject] { graph.tracker.insertedObjects }
  /// Changed objects.
  public var updatedObjects: [ManagedObject] { graph.tracker.updatedObjects }
  /// Objects that the next save deletes.
  public var deletedObjects: [ManagedObject] { graph.tracker.deleted }
  /// The number of registered objects.
  public var registeredObjectCount: Int { graph.registry.count }
  /// The objects alive in this context, without those that others deleted.
  public var registeredObjects: [ManagedObject] { graph.registeredObjects }
}
