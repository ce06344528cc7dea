public import Foundation
public import ObjectModel
public import ObjectQuery

/// A store that brings objects in piece by piece: what a coordinator needs of any storage.
///
/// All calls but `loadMetadata` are synchronous and may come from any thread, so a store guards itself. Reference
/// numbers are positive, unique within a root entity, and never used again after a deletion.
public protocol IncrementalStore: AnyObject, Sendable {
  /// The name this kind of store is registered under.
  static var storeType: String { get }

  /// Makes a store that is not open yet.
  init(model: ManagedObjectModel, description: PersistentStoreDescription) throws

  /// An identifier for a new store.
  static func identifierForNewStore() -> UUID

  /// The store's UUID, once metadata is loaded.
  var identifier: UUID { get }
  /// The store's own facts and the program's: text by name; see `StoreMetadata`.
  var metadata: [String: String] { get }
  /// One per entity of the model, at the entity's index.
  var storeEntities: [StoreEntity] { get }

  /// Opens or makes the store.
  func loadMetadata() async throws

  /// Closes the store; later calls throw.
  func close() throws

  /// Executes a fetch or a save, or throws `unsupportedRequest`.
  /// - Parameter lookup: What the asking context holds already; may be ignored.
  func execute(_ request: any PersistentStoreRequest, lookup: (any NodeLookup)?) throws -> StoreResult

  /// How a fetch is answered. The default says that all of it happens in memory.
  func queryPlan(for request: FetchRequest) throws -> QueryPlan

  /// Executes a save, and calls `beforeCommit` when all that can fail but the commit has gone well; when that throws, nothing is
  /// saved. Used where a save concerns several stores.
  func save(_ save: SaveChangesRequest, beforeCommit: () throws -> Void) throws

  /// The states of objects, in the order asked for; nil where there is no such object.
  ///
  /// One call for any number, so that faults fire by the batch. Also answers for references whose entity is only
  /// known up to a superentity: each node tells its own.
  func newValues(for references: [Int64], of entity: EntityDescription) throws -> [IncrementalStoreNode?]

  /// The state of an object with nothing left out (`IncrementalStoreNode.isUnread`); nil where there is none. The
  /// default is right for stores that never leave anything out.
  func wholeValues(for reference: Int64, of entity: EntityDescription) throws -> IncrementalStoreNode?

  /// What a to-many relationship leads to, for many sources at once.
  func newValues(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> RelationshipDestinations

  /// What a to-many relationship leads to, for many sources at once, with the states of the destinations: what is read
  /// ahead. Stores that have no better way answer with two other calls, as the default does.
  func newDestinations(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> DestinationNodes

  /// Runs through the rows of a request's columns (`propertiesToFetch`) in its order, one at a time. `begin` is called
  /// once before; `row` answers false to stop.
  func enumerateRows(
    _ request: FetchRequest, begin: (RowColumns) throws -> Void, row: (RowCursor) throws -> Bool
  ) throws

  /// Inserts rows for as long as `next` fills one and answers true, all in one transaction.
  func insert(into entity: EntityDescription, next: (BatchRow) throws -> Bool) throws -> BatchResult
  /// Changes every object that meets a condition, in one transaction. Versions rise by one.
  func update(_ batch: BatchUpdate) throws -> BatchResult
  /// Deletes every object that meets a request's condition, by the model's delete rules, in one transaction.
  func delete(matching request: FetchRequest) throws -> BatchResult

  /// Gives a binary attribute of one object a value of `count` bytes, which `fill` writes in pieces, in one transaction. The
  /// version rises by one. Whatever `fill` throws, or when it writes fewer bytes, the object stays as it was.
  ///
  /// The default holds the whole value in memory.
  /// - Returns: The object's new version.
  /// - Throws: `StoreError`: `notFound` when there is no such object, `invalidValue` for a length that no value has and for an
  ///   attribute that cannot be written so.
  func writeValue(
    count: Int, of attribute: AttributeDescription, to reference: Int64, _ fill: (ValueWriter) throws -> Void
  ) throws -> Int64
  /// Opens the value of a binary attribute for reading in pieces, as it is now, whatever is written meanwhile; nil when it is
  /// null. The default holds the whole value in memory.
  /// - Throws: `StoreError`: `notFound` when there is no such object, `invalidValue` for an attribute that is not binary.
  func openValue(of attribute: AttributeDescription, of reference: Int64) throws -> ValueReader?

  /// The store as it is now, for reading only: what others save later does not show in it. Let go of when it is no longer
  /// needed, and not closed before, since somebody may be reading. The default throws `unsupportedRequest`.
  func snapshot() throws -> any IncrementalStore

  /// 0 when the store is loaded, and another number each time somebody else has written to what it keeps: another process, or
  /// another store object on the same file. The store's own writes do not change it. Nil, as by default, for stores that cannot
  /// tell or have nobody beside them.
  var remoteChangeCount: Int64? { get throws }
  /// The files whose writing may mean that `remoteChangeCount` is about to change. Where there are none, or one of them cannot
  /// be watched, the count is asked for at intervals.
  var remoteChangeFiles: [URL] { get }

  /// Permanent IDs for new objects of the entities given, in the order given. Never issued twice.
  func obtainPermanentIDs(for entities: [EntityDescription]) throws -> [ManagedObjectID]

  /// Whether contexts are to tell which objects they hold. It costs a call per object, so few stores want it.
  var observesRegistrations: Bool { get }
  /// A context began to hold these objects.
  func managedObjectContextDidRegisterObjects(with objectIDs: [ManagedObjectID])
  /// A context ceased to hold these objects.
  func managedObjectContextDidUnregisterObjects(with objectIDs: [ManagedObjectID])
}

extension IncrementalStore {
  /// In memory.
  public func queryPlan(for request: FetchRequest) throws -> QueryPlan {
    QueryPlan(statement: nil, steps: [], isEvaluatedInMemory: true, suggestedIndexes: [])
  }

  /// Lets the others go first, for stores that cannot hold a save open.
  public func save(_ save: SaveChangesRequest, beforeCommit: () throws -> Void) throws {
    try beforeCommit()
    _ = try execute(save, lookup: nil)
  }

  /// What `newValues(for:of:)` answers.
  public func wholeValues(for reference: Int64, of entity: EntityDescription) throws -> IncrementalStoreNode?
  {
    try newValues(for: [reference], of: entity)[0]
  }

  /// Asks for the destinations, then for their states.
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
      "a store of type \(Self.storeType) cannot keep a moment of itself; read what is stored now")
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

  /// The state of one object.
  /// - Throws: `StoreError` with code `notFound` when there is none.
  public func newValues(for objectID: ManagedObjectID) throws -> IncrementalStoreNode {
    guard let node = try newValues(for: [objectID.reference], of: objectID.entity)[0] else {
      throw StoreError(
        .notFound, "\(objectID.entity.name) \(objectID.reference) is not in the store: it was deleted",
        objectIDs: [objectID])
    }
    return node
  }

  /// The value of one relationship of one object: null or an ID for a to-one, IDs (never nil) for a to-many.
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
