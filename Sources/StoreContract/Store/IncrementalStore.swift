public import Foundation
public import ObjectModel
public import ObjectQuery

/// The requirements for a custom persistent store.
///
/// As `NSIncrementalStore`.
///
/// All calls but `loadMetadata` are synchronous and may come from any thread, so a store guards its
/// own state. Reference numbers are positive, unique within a root entity, and never reused after a
/// deletion.
public protocol IncrementalStore: AnyObject, Sendable {
  /// The name this kind of store is registered under.
  static var storeType: String { get }

  /// Makes a store that is not open yet.
  init(model: ManagedObjectModel, description: PersistentStoreDescription) throws

  /// An identifier for a new store.
  static func identifierForNewStore() -> UUID

  /// The store's UUID, once metadata is loaded.
  var identifier: UUID { get }
  /// The store's own metadata and the program's, by name; see `StoreMetadata`.
  var metadata: [String: String] { get }
  /// One per entity of the model, at the entity's index.
  var storeEntities: [StoreEntity] { get }

  /// Opens or creates the store.
  func loadMetadata() async throws

  /// Closes the store; later calls throw.
  func close() throws

  /// The nodes of a request's objects, in its order.
  ///
  /// `FetchEvaluation` does this in memory, for stores without indexes.
  ///
  /// - Parameters:
  ///   - request: What to fetch.
  ///   - lookup: The nodes that the calling context has already; may be ignored.
  /// - Returns: One node for each object.
  /// - Throws: what keeps the store from answering.
  func fetchNodes(_ request: FetchRequest, lookup: (any NodeLookup)?) throws -> [IncrementalStoreNode]

  /// The IDs of a request's objects, in its order. The default takes them from `fetchNodes`.
  func fetchObjectIDs(_ request: FetchRequest) throws -> [ManagedObjectID]

  /// The number of a request's objects. The default counts the IDs.
  func count(for request: FetchRequest) throws -> Int

  /// The rows of a request as dictionaries, with aggregates and groups. The default evaluates the
  /// request in memory, over all nodes of its entity.
  func fetchDictionaries(_ request: FetchRequest) throws -> [[String: AttributeValue]]

  /// How the store would execute a fetch. The default says that all of it happens in memory.
  func queryPlan(for request: FetchRequest) throws -> QueryPlan

  /// Executes a save in one transaction, and calls `beforeCommit` when only the commit itself can
  /// still fail; when that throws, nothing is saved. For saves that concern several stores
  /// `beforeCommit` saves into the others.
  func save(_ save: SaveChangesRequest, beforeCommit: () throws -> Void) throws

  /// Executes a save in one transaction. The default has nothing called before the commit.
  func save(_ save: SaveChangesRequest) throws

  /// The nodes of objects, in the order of the references; nil where there is no such object of the entity.
  ///
  /// One call for any number, so that faults fire in batches. References may be of subentities of
  /// the entity: each node has its own entity.
  func newValues(for references: [Int64], of entity: EntityDescription) throws -> [IncrementalStoreNode?]

  /// The node of an object with nothing left out (`IncrementalStoreNode.isUnread`); nil where there
  /// is none. The default is right for stores that never leave anything out.
  func wholeValues(for reference: Int64, of entity: EntityDescription) throws -> IncrementalStoreNode?

  /// The destinations of a to-many relationship, for many sources at once.
  func newValues(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> RelationshipDestinations

  /// The destinations of a to-many relationship with their nodes, for many sources at once, for
  /// prefetching. The default makes two other calls.
  func newDestinations(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> DestinationNodes

  /// Enumerates the rows of a request's columns (`propertiesToFetch`) in its order, one at a time.
  /// `begin` is called once before; `row` returns false to stop.
  func enumerateRows(
    _ request: FetchRequest, begin: (RowColumns) throws -> Void, row: (RowCursor) throws -> Bool
  ) throws

  /// Inserts rows for as long as `next` fills one and returns true, all in one transaction.
  func insert(into entity: EntityDescription, next: (BatchRow) throws -> Bool) throws -> BatchResult
  /// Changes every object that meets a condition, in one transaction. Versions rise by one.
  func update(_ batch: BatchUpdate) throws -> BatchResult
  /// Deletes every object that meets a request's condition, by the model's delete rules, in one
  /// transaction.
  func delete(matching request: FetchRequest) throws -> BatchResult

  /// Sets a binary attribute of one object to a value of `count` bytes, which `fill` writes in
  /// pieces, in one transaction. The version rises by one. When `fill` throws or writes fewer
  /// bytes, the object does not change.
  ///
  /// The default has the whole value in memory.
  ///
  /// - Returns: The object's new version.
  /// - Throws: `StoreError`: `notFound` when there is no such object, `invalidValue` for an invalid
  ///   length and for an attribute that cannot be written in pieces.
  func writeValue(
    count: Int, of attribute: AttributeDescription, to reference: Int64, _ fill: (ValueWriter) throws -> Void
  ) throws -> Int64
  /// Opens the value of a binary attribute for reading in pieces; later writes do not change what
  /// it reads. Nil when the value is null. The default has the whole value in memory.
  ///
  /// - Throws: `StoreError`: `notFound` when there is no such object, `invalidValue` for an
  ///   attribute that is not binary.
  func openValue(of attribute: AttributeDescription, of reference: Int64) throws -> ValueReader?

  /// Answers a request for the history of what was saved, or deletes a part of it. The default throws
  /// `unsupportedRequest`.
  func execute(_ request: PersistentHistoryChangeRequest) throws -> PersistentHistoryResult
  /// The place in the history after the last transaction; nil, as by default, while there is none, and for
  /// stores without a history.
  var currentHistoryToken: PersistentHistoryToken? { get throws }
  /// Those who read the history, by name; none by default.
  var historyConsumers: [PersistentHistoryConsumer] { get throws }
  /// Registers a consumer at the end of the history, or says that it is still there. The default throws
  /// `unsupportedRequest`, as those below do.
  func registerHistoryConsumer(_ name: String, span: TimeInterval) throws
  /// Says that a consumer has read up to a token.
  func advanceHistoryConsumer(_ name: String, to token: PersistentHistoryToken) throws
  /// Removes a consumer; false where there is none of the name.
  func removeHistoryConsumer(_ name: String) throws -> Bool

  /// A read-only snapshot of the store: later saves do not show in it. Release it when it is no
  /// longer needed; do not close it, since it may have readers. The default throws
  /// `unsupportedRequest`.
  func snapshot() throws -> any IncrementalStore

  /// 0 when the store is loaded, and another number each time another process, or another store
  /// object on the same file, has written to its data. The store's own writes do not change it.
  /// Nil, as by default, for stores that cannot detect this or have no other writers.
  var remoteChangeCount: Int64? { get throws }
  /// The files whose change may mean that `remoteChangeCount` is about to change. Where there are
  /// none, or one of them cannot be watched, the count is polled.
  var remoteChangeFiles: [URL] { get }

  /// Permanent IDs for new objects of the entities given, in the order given. Never issued twice.
  func obtainPermanentIDs(for entities: [EntityDescription]) throws -> [ManagedObjectID]

  /// Whether contexts report which objects they register. It costs a call per object, so few stores
  /// need it.
  var observesRegistrations: Bool { get }
  /// A context registered these objects.
  func managedObjectContextDidRegisterObjects(with objectIDs: [ManagedObjectID])
  /// A context unregistered these objects.
  func managedObjectContextDidUnregisterObjects(with objectIDs: [ManagedObjectID])
}

extension IncrementalStore {
  /// A plan that evaluates all in memory.
  public func queryPlan(for request: FetchRequest) throws -> QueryPlan {
    QueryPlan(statement: nil, steps: [], isEvaluatedInMemory: true, suggestedIndexes: [])
  }

  /// Executes a save in one transaction, without anything to call before the commit.
  ///
  /// - Throws: As `save(_:beforeCommit:)`.
  public func save(_ save: SaveChangesRequest) throws { try self.save(save) {} }

  /// The IDs of the nodes.
  public func fetchObjectIDs(_ request: FetchRequest) throws -> [ManagedObjectID] {
    try fetchNodes(request.returning(.objects), lookup: nil).map { $0.objectID }
  }

  /// The number of IDs.
  public func count(for request: FetchRequest) throws -> Int {
    try fetchObjectIDs(request.returning(.objectIDs)).count
  }

  /// Evaluates the columns in memory, over the objects that `fetchNodes` finds.
  ///
  /// Where each object is a row of its own, it finds them in their order, and no more than the page.
  public func fetchDictionaries(_ request: FetchRequest) throws -> [[String: AttributeValue]] {
    guard let entity = storeEntities.first(where: { $0.entity.name == request.entityName })?.entity else {
      throw StoreError(.notFound, "the model has no entity \(request.entityName)")
    }
    var objects = FetchRequest(request.entityName)
    objects.includesSubentities = request.includesSubentities
    var rows = request.returning(.dictionaries)
    if request.search == nil {
      objects.predicate = request.predicate
      rows.predicate = nil
      if request.hasRowForEachObject {
        objects.sortDescriptors = request.sortDescriptors
        (objects.fetchLimit, objects.fetchOffset) = (request.fetchLimit, request.fetchOffset)
        (rows.fetchLimit, rows.fetchOffset) = (nil, 0)
      }
    }
    // What it cannot answer is refused before anything is read.
    _ = try FetchEvaluation(request.returning(.dictionaries), entity: entity)
    let nodes = try fetchNodes(objects, lookup: nil)
    return try FetchEvaluation(rows, entity: entity).dictionaries(nodes, in: self)
  }

  /// Calls `newValues(for:of:)`.
  public func wholeValues(for reference: Int64, of entity: EntityDescription) throws -> IncrementalStoreNode?
  {
    try newValues(for: [reference], of: entity)[0]
  }

  /// Reads the destinations, then their nodes.
  public func newDestinations(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> DestinationNodes
  {
    try destinationsThenNodes(for: relationship, of: references)
  }

  package func destinationsThenNodes(
    for relationship: RelationshipDescription, of references: [Int64]
  ) throws -> DestinationNodes {
    let destinations = try newValues(for: relationship, of: references)
    let different = Set(destinations.references).sorted()
    var nodes: [Int64: IncrementalStoreNode] = [:]
    for case .some(let node) in try newValues(for: different, of: relationship.destination) {
      nodes[node.reference] = node
    }
    return DestinationNodes(destinations: destinations, nodes: destinations.references.map { nodes[$0] })
  }

  /// Throws.
  public func snapshot() throws -> any IncrementalStore {
    throw StoreError(
      .unsupportedRequest,
      "a store of type \(Self.storeType) has no snapshots; read its current state")
  }

  /// Throws.
  public func execute(_ request: PersistentHistoryChangeRequest) throws -> PersistentHistoryResult {
    throw hasNoHistory
  }
  /// Nil.
  public var currentHistoryToken: PersistentHistoryToken? { get throws { nil } }
  /// None.
  public var historyConsumers: [PersistentHistoryConsumer] { get throws { [] } }
  /// Throws.
  public func registerHistoryConsumer(_ name: String, span: TimeInterval) throws { throw hasNoHistory }
  /// Throws.
  public func advanceHistoryConsumer(_ name: String, to token: PersistentHistoryToken) throws {
    throw hasNoHistory
  }
  /// Throws.
  public func removeHistoryConsumer(_ name: String) throws -> Bool { throw hasNoHistory }
  private var hasNoHistory: StoreError {
    StoreError(.unsupportedRequest, "a store of type \(Self.storeType) records no history; fetch the objects")
  }

  /// Nil.
  public var remoteChangeCount: Int64? { get throws { nil } }
  /// None.
  public var remoteChangeFiles: [URL] { [] }

  /// A random UUID.
  public static func identifierForNewStore() -> UUID { UUID() }
  /// No.
  public var observesRegistrations: Bool { false }
  /// Does nothing.
  public func managedObjectContextDidRegisterObjects(with objectIDs: [ManagedObjectID]) {}
  /// Does nothing.
  public func managedObjectContextDidUnregisterObjects(with objectIDs: [ManagedObjectID]) {}

  /// The node of one object.
  ///
  /// - Throws: `StoreError` with code `notFound` when there is none.
  public func newValues(for objectID: ManagedObjectID) throws -> IncrementalStoreNode {
    guard let node = try newValues(for: [objectID.reference], of: objectID.entity)[0] else {
      throw StoreError(
        .notFound, "\(objectID.entity.name) \(objectID.reference) is not in the store: it was deleted",
        objectIDs: [objectID])
    }
    return node
  }

  /// The value of one relationship of one object: null or an ID for a to-one, IDs (never nil) for a
  /// to-many.
  ///
  /// - Throws: `StoreError` with code `notFound` when there is no such object.
  public func newValue(for relationship: RelationshipDescription, of objectID: ManagedObjectID) throws
    -> RelationshipValue
  {
    let node = try newValues(for: objectID)
    if relationship.isToMany {
      let destinations = try newValues(for: relationship, of: [objectID.reference])
      return .toMany(
        destinations.references.enumerated().map { index, reference in
          let entity =
            destinations.entityIndices.isEmpty
            ? relationship.destination.index : Int(destinations.entityIndices[index])
          return ManagedObjectID(storeEntities[entity], reference: reference)
        })
    }
    guard let reference = node.reference(relationship.field) else { return .toOne(nil) }
    if !relationship.destination.hasSubentities {
      return .toOne(ManagedObjectID(storeEntities[relationship.destination.index], reference: reference))
    }
    return .toOne(try newValues(for: [reference], of: relationship.destination)[0]?.objectID)
  }
}
