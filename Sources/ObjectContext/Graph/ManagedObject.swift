public import ObjectModel
public import ObjectQuery
public import StoreContract

/// One object of an entity in one context: a fault at first, then its row and its changes.
///
/// There is one object per ID and context. Not Sendable: use it where its context is used, and pass
/// its `objectID` elsewhere. Subclass it to give an entity typed properties; a subclass adds no
/// stored state of its own.
open class ManagedObject {
  /// The state a new instance starts from; made by contexts only.
  ///
  /// Valid while the initialiser that gets it runs: pass it on, and keep none.
  public struct Seed {
    // Unmanaged: the caller of the initialiser retains these, so copying a seed from one
    // initialiser of the class hierarchy to the next counts no references.
    let storeEntity: Unmanaged<StoreEntity>
    let reference: Int64
    /// Nil for an object that is not in a context yet.
    let graph: Unmanaged<ObjectGraph>?
    let batch: Unmanaged<FetchBatch>?
    let node: UnmanagedNode?

    init(
      storeEntity: StoreEntity, reference: Int64, graph: ObjectGraph?, node: UnmanagedNode?,
      batch: FetchBatch?
    ) {
      self.storeEntity = .passUnretained(storeEntity)
      self.reference = reference
      self.graph = graph.map { .passUnretained($0) }
      self.node = node
      self.batch = batch.map { .passUnretained($0) }
    }

    /// For a new object that a context is to adopt later.
    package init(detached storeEntity: StoreEntity) {
      self.init(detached: storeEntity, reference: ManagedObjectID.nextTemporaryReference())
    }

    /// For an object that shows what another one has, and that no context adopts.
    package init(detached storeEntity: StoreEntity, reference: Int64) {
      self.init(storeEntity: storeEntity, reference: reference, graph: nil, node: nil, batch: nil)
    }
  }

  struct State: OptionSet {
    let rawValue: UInt8
    static let inserted = State(rawValue: 1)
    static let updated = State(rawValue: 2)
    static let deleted = State(rawValue: 4)
    /// Deleted and saved, or inserted and rolled back: the object is in no context any more.
    ///
    /// Together with `deleted`: another context or process deleted the object, and it is still
    /// registered.
    static let deletedInStore = State(rawValue: 8)
  }

  // A graph that is deallocated clears this in every object that is registered in it.
  @exclusivity(unchecked) private final var unmanagedGraph: Unmanaged<ObjectGraph>?
  @exclusivity(unchecked) final var storeEntity: StoreEntity
  @exclusivity(unchecked) final var reference: Int64
  // Row and changes are retained manually: reading a value then counts no references.
  @exclusivity(unchecked) final var unmanagedNode: UnmanagedNode?
  @exclusivity(unchecked) final var unmanagedChanges: Unmanaged<ObjectChanges>?
  @exclusivity(unchecked) final var batch: FetchBatch?
  /// Which property indexes were set since the row was read, in the form of `PropertyIndex.bit`.
  @exclusivity(unchecked) final var dirty: UInt32 = 0
  // Four bytes behind four, so that an instance has 72.
  @exclusivity(unchecked) final var state: State = []
  /// Whether `valuesDidChange(at:)` is to be called.
  @exclusivity(unchecked) package final var reportsChanges = false
  /// Whether it retains its context.
  ///
  /// Writing it without a context stops the program, since its setters cannot throw.
  @exclusivity(unchecked) final var needsContext = false
  /// Whether it retains its context now.
  @exclusivity(unchecked) private(set) final var hasContext = false

  /// Creates an object; called by contexts, and for objects that a context adopts later.
  public required init(_ seed: Seed) {
    unmanagedGraph = seed.graph
    storeEntity = seed.storeEntity.takeUnretainedValue()
    reference = seed.reference
    batch = seed.batch?.takeUnretainedValue()
    unmanagedNode = seed.node
    seed.node?.retain()
    if seed.graph == nil {
      state = [.inserted]
      changes = ObjectChanges(defaultsOf: entity, isWatched: false)
    }
  }

  deinit {
    if let graph { graph.registry.remove(self) }
    unmanagedNode?.release()
    unmanagedChanges?.release()
    releaseContext()
  }

  /// Retains the context until `releaseContext()`: manually, which costs no pointer of its own.
  final func holdContext() {
    guard !hasContext, let owner = graph?.owner else { return }
    hasContext = true
    _ = Unmanaged.passRetained(owner)
  }

  /// Releases the context where the object retains it, which may deallocate the context.
  final func releaseContext() {
    guard hasContext else { return }
    hasContext = false
    guard let owner = graph?.owner else { return }
    Unmanaged.passUnretained(owner).release()
  }

  /// Sets the graph to nil, and releases the context.
  final func leaveGraph() {
    let owner = hasContext ? graph?.owner : nil
    hasContext = false
    graph = nil
    if let owner { Unmanaged.passUnretained(owner).release() }
  }

  /// The graph of the context the object lives in; nil once the context is deallocated or reset.
  package final internal(set) var graph: ObjectGraph? {
    get { unmanagedGraph?.takeUnretainedValue() }
    set { unmanagedGraph = newValue.map { .passUnretained($0) } }
  }

  /// Whether both are in one context, without counting references.
  final func isInContext(of other: ManagedObject) -> Bool {
    unmanagedGraph != nil && unmanagedGraph?.toOpaque() == other.unmanagedGraph?.toOpaque()
  }

  final var node: IncrementalStoreNode? {
    get { unmanagedNode?.node }
    set {
      let old = unmanagedNode
      unmanagedNode = newValue.map { UnmanagedNode(retaining: $0) }
      old?.release()
    }
  }

  final var changes: ObjectChanges? {
    get { unmanagedChanges?.takeUnretainedValue() }
    set {
      let old = unmanagedChanges
      unmanagedChanges = newValue.map { .passRetained($0) }
      old?.release()
      dirty = newValue?.changed.summary ?? 0
    }
  }

  /// The object's entity.
  public final var entity: EntityDescription { storeEntity.entity }
  /// The object's ID: temporary until its first save.
  public final var objectID: ManagedObjectID { ManagedObjectID(storeEntity, reference: reference) }
  /// Whether the object's row has not been read yet.
  public final var isFault: Bool { unmanagedNode == nil && !state.contains(.inserted) }
  /// Whether the object is new and not saved yet.
  public final var isInserted: Bool { state.contains(.inserted) }
  /// Whether the object was changed since it was last saved or read; also after a value was set
  /// back.
  public final var isUpdated: Bool { state.contains(.updated) && !state.contains(.inserted) }
  /// Whether the next save deletes the object, or another context or process deleted it.
  ///
  /// An object that was deleted elsewhere retains the values that were read, and saves ignore it.
  public final var isDeleted: Bool { state.contains(.deleted) }
  /// Whether the object has changes for the next save.
  public final var hasChanges: Bool {
    !state.contains(.deletedInStore) && !state.isDisjoint(with: [.inserted, .updated, .deleted])
  }
  /// Whether a row with its number may be its row: it is of its entity or of a subentity.
  ///
  /// A fault that was made while the store could not be read may be of a superentity of its row's entity. Any
  /// other entity means that the fault was made of a wrong ID.
  func canAdopt(_ node: IncrementalStoreNode) -> Bool {
    node.storeEntity.entityIndex == storeEntity.entityIndex || node.entity.isKind(of: entity)
  }
  /// The version of the stored row: 1 when inserted, one more with each save; 0 for an object not
  /// saved yet.
  /// - Throws: when the object is a fault whose row cannot be read.
  public final var version: Int64 {
    get throws {
      if isInserted { return 0 }
      return try row().version
    }
  }

  /// The name of the property that each key path of the class reads, including inherited ones.
  ///
  /// Typed conditions and Foundation's predicates are translated with it. Generated classes
  /// implement it.
  open class var propertyNames: [AnyKeyPath: String] { [:] }

  // MARK: Life, to override

  /// Called once, after the object was inserted with its default values.
  open func awakeFromInsert() {}
  /// Called when the object's row was read from the store.
  open func awakeFromFetch() {}
  /// Called after undo, redo, a rollback, a merging refresh or a merge policy replaced values.
  open func awakeFromSnapshotEvents(_ events: SnapshotEvents) {}
  /// Called before the object's row is released by a refresh or a merge; not when the object is
  /// deallocated.
  open func willTurnIntoFault() {}
  /// Called after the object's row was released.
  open func didTurnIntoFault() {}
  /// Called before the object is saved; changes made here are saved too.
  open func willSave() {}
  /// Called after the object was saved.
  open func didSave() {}
  /// Called before the object is deleted, while its relationships still have their destinations.
  open func prepareForDeletion() {}
  /// Checks one attribute or to-one (as `.reference`) that was set, before the object is saved.
  ///
  /// Throw to refuse.
  open func validateValue(_ value: AttributeValue, forKey name: String) throws {}
  /// Checks a new object before it is saved.
  ///
  /// Throw to refuse: the save reports the error together with all other failures.
  open func validateForInsert() throws {}
  /// Checks a changed object before it is saved.
  ///
  /// Throw to refuse: the save reports the error together with all other failures.
  open func validateForUpdate() throws {}
  /// Checks a deleted object before its deletion is saved.
  ///
  /// Throw to refuse: the save reports the error together with all other failures.
  open func validateForDelete() throws {}

  /// Called after a property changed, if the object reports changes; not after a first read.
  ///
  /// A property changes when its value or an inverse is set, when another context's save is
  /// merged, and when changes are undone or rolled back.
  ///
  /// - Parameter index: The property's index; nil when any may have changed.
  open func valuesDidChange(at index: Int?) {}

  // MARK: Indexes

  final func liveGraph() throws(ContextError) -> ObjectGraph {
    checkIsolation()
    guard let graph else {
      throw ContextError(
        .noContext, "a \(entity.name) was used after its context was reset or deallocated; fetch it again")
    }
    return graph
  }

  /// The stored row; fires the fault if the row is not in memory.
  final func row() throws -> IncrementalStoreNode {
    if let node { return node }
    return try liveGraph().faulting.fire(self)
  }

  /// The row that a save is checked against.
  final func committedRow() throws -> IncrementalStoreNode { try changes?.committedRow ?? row() }

  /// Reads the row if the object has one: the save checks the next changes against it.
  final func readRow() throws {
    if state.isDisjoint(with: [.inserted, .deletedInStore]) { _ = try row() }
  }

  /// Reads the row of an object that the program is about to change.
  /// - Throws: `objectNotFound` when the object was deleted elsewhere, since no change of it can be
  ///   saved.
  final func readRowToChange() throws {
    try readRow()
    if state.contains(.deletedInStore), let graph {
      throw graph.objectNotFound(self)
    }
  }

  /// Whether it has changes that a deletion elsewhere would lose, so that the save reports them.
  ///
  /// These are values that were set, destinations that were added, and an order. Removed
  /// destinations do not count: their join table rows are deleted with the row.
  final var hasUnsavedChanges: Bool {
    guard state.contains(.updated), !state.contains(.deleted), let changes else { return false }
    return entity.properties.contains { !$0.isTransient && changes.value($0.index) != nil }
      || changes.toManys.contains {
        !$0.relationship.isTransient && (!$0.added.isEmpty || $0.isReordered)
      }
  }

  /// The partially read row of a fault, if the field was among those read.
  private final func partialRow(_ field: Int) -> IncrementalStoreNode? {
    guard unmanagedNode == nil, let batch, let graph else { return nil }
    return batch.partialNode(reference, field: field, generation: graph.tracker.generation)
  }

  /// The stored value of an attribute; reads its bytes if the row was read without them.
  final func storedValue(_ attribute: AttributeDescription) throws -> AttributeValue {
    if let partial = partialRow(attribute.field), !partial.isUnread(attribute.field) {
      return partial.value(of: attribute)
    }
    let row = try row()
    guard attribute.isExternal, row.isUnread(attribute.field) else { return row.value(of: attribute) }
    if state.contains(.deletedInStore) { return .null }
    let whole = try liveGraph().faulting.readExternal(attribute, of: self, row)
    return whole.isUnread(attribute.field) ? .null : whole.value(of: attribute)
  }

  /// The current value of an attribute, or the current `.reference` of a to-one.
  final func slotValue(_ property: PropertyDescription) throws -> AttributeValue {
    checkIsolation()
    if let value = changes?.value(property.index) { return value }
    if state.contains(.inserted) { return .null }
    switch property {
    case .attribute(let attribute):
      return attribute.isTransient ? attribute.defaultValue : try storedValue(attribute)
    case .relationship(let relationship):
      if relationship.field < 0 { return .null }
      if let partial = partialRow(relationship.field) {
        return partial.reference(relationship.field).map(AttributeValue.reference) ?? .null
      }
      return try row().reference(relationship.field).map(AttributeValue.reference) ?? .null
    }
  }

  final var knownChanges: ObjectChanges {
    if let changes { return changes }
    let new = ObjectChanges()
    changes = new
    return new
  }

  final func setSlot(_ index: Int, _ value: AttributeValue) {
    let isWatched = graph?.notifications.isWatched ?? false
    if isWatched { graph?.willSet(self, index) }
    let changes = knownChanges
    changes.set(index, value, propertyCount: entity.propertyCount, isWatched: isWatched)
    dirty |= PropertyIndex.bit(index)
    if reportsChanges { valuesDidChange(at: index) }
  }

  /// Stops a debug build that uses the object outside its context's isolation.
  @inline(__always)
  final func checkIsolation() {
    #if DEBUG
      graph?.isolation.check { "a \(entity.name) (\(objectID))" }
    #endif
  }
}

extension ManagedObject: Hashable {
  /// Compares the identity.
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ManagedObject: QueryableModel, FetchArgument {
  /// The object's ID as an expression.
  public final var fetchExpression: FetchExpression { objectID.fetchExpression }
}

extension ManagedObject: CustomStringConvertible {
  /// Entity, ID and state; never a value.
  public var description: String {
    let states = [
      isFault ? "fault" : nil, isInserted ? "inserted" : nil, isUpdated ? "updated" : nil,
      isDeleted ? "deleted" : nil,
    ].compactMap { $0 }
    return "\(entity.name) \(objectID)" + (states.isEmpty ? "" : " (\(states.joined(separator: ", ")))")
  }
}
