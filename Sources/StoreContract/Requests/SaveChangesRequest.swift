public import ObjectModel

/// All changes of one save, applied in one transaction or not at all. Empty: the store's metadata is saved.
///
/// Every ID in it is permanent. Nodes hold the state to be stored, with the version it is to have.
public struct SaveChangesRequest: PersistentStoreRequest {
  /// New objects: version 1, or that of an object which is stored anew under its old number, far above what the old row
  /// had. Where there is a row of the number already, somebody else stored it anew: a conflict over that object.
  public var inserted: [IncrementalStoreNode] = []
  /// Changed objects.
  public var updated: [UpdatedObject] = []
  /// Objects to be removed; their links go with them. Where a to-one with an inverse still leads to one of them when all
  /// is written, somebody linked it meanwhile: a conflict over that object (see `EntityDescription.referencingRelationships`).
  public var deleted: [LockedObject] = []
  /// Objects that must still have the version they were read with.
  public var locked: [LockedObject] = []
  /// Objects that must exist once removals are done, since new references and links lead to them.
  public var existing: [ManagedObjectID] = []
  /// Changes to the links of relationships that are stored in tables of their own.
  public var relationshipChanges: [RelationshipChanges] = []
  /// The program's metadata to store; nil leaves it. What a store says of itself (`StoreMetadata`) is left out of it.
  public var metadata: [String: String]?

  /// Makes an empty request.
  public init() {}

  /// Whether there is nothing to do but to save metadata.
  public var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && locked.isEmpty && relationshipChanges.isEmpty
  }
}

/// A changed object: its whole new state, and which fields of it are new.
public struct UpdatedObject: Sendable {
  /// The new state; its version is one above the stored one.
  public var node: IncrementalStoreNode
  /// The changed fields. May be empty when only links changed.
  public var changedFields: PropertyIndexSet

  /// Makes a change.
  public init(node: IncrementalStoreNode, changedFields: PropertyIndexSet) {
    self.node = node
    self.changedFields = changedFields
  }
}

/// An object together with the version it was read with.
public struct LockedObject: Sendable {
  /// The object.
  public var objectID: ManagedObjectID
  /// The version it must still have in the store.
  public var version: Int64

  /// Makes a lock.
  public init(objectID: ManagedObjectID, version: Int64) {
    self.objectID = objectID
    self.version = version
  }
}

/// Links added to and taken from one relationship.
public struct RelationshipChanges: Sendable {
  /// One link.
  public struct JoinTableRow: Sendable, Hashable {
    /// The object that has the relationship.
    public var source: Int64
    /// The object it leads to.
    public var destination: Int64

    /// Makes a link.
    @inlinable
    public init(source: Int64, destination: Int64) {
      self.source = source
      self.destination = destination
    }
  }

  /// The relationship: of a pair with two tables' worth of ends, the one that `RelationshipDescription.joinTableOwner` names.
  public var relationship: RelationshipDescription
  /// New links. A link that is there already stays once.
  public var added: [JoinTableRow] = []
  /// Links to remove. A link that is not there is no error.
  public var removed: [JoinTableRow] = []
  /// For ordered relationships, all destinations of a source in their new order, after the changes above.
  public var orders: [(source: Int64, destinations: [Int64])] = []
  /// The same for the other end, when that is ordered too.
  public var inverseOrders: [(source: Int64, destinations: [Int64])] = []

  /// Makes an empty set of changes to a relationship.
  public init(relationship: RelationshipDescription) { self.relationship = relationship }
}
