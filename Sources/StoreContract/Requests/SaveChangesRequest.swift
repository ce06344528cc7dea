public import ObjectModel

/// All changes of one save, applied in one transaction or not at all.
///
/// Empty: the store's metadata is saved.
///
/// Every ID in it is permanent. Nodes hold the state to be stored, with the version it is to have.
public struct SaveChangesRequest: Sendable {
  /// New objects: version 1, or for an object that is stored again under its old number, a version
  /// far above the old row's.
  ///
  /// A row that already has the number is a conflict over that object: another context has stored
  /// it again.
  public var inserted: [IncrementalStoreNode] = []
  /// Changed objects.
  public var updated: [UpdatedObject] = []
  /// Objects to delete, with their join table rows.
  ///
  /// A to-one with an inverse that still references one of them after all writes is a conflict over
  /// that object: another context set it meanwhile (see
  /// `EntityDescription.referencingRelationships`).
  public var deleted: [LockedObject] = []
  /// Objects that must still have the version they were read with.
  public var locked: [LockedObject] = []
  /// Objects that must exist after the deletions, since new references and join table rows name
  /// them.
  public var existing: [ManagedObjectID] = []
  /// Changes to relationships that are stored in join tables.
  public var relationshipChanges: [RelationshipChanges] = []
  /// The program's metadata to store, without the store's own (`StoreMetadata`); nil changes
  /// nothing.
  public var metadata: [String: String]?

  /// Makes an empty request.
  public init() {}

  /// Whether the save stores metadata only.
  public var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && locked.isEmpty && relationshipChanges.isEmpty
  }
}

/// A changed object: its whole new state, and which fields of it are new.
public struct UpdatedObject: Sendable {
  /// The new state; its version is one above the stored one.
  public var node: IncrementalStoreNode
  /// The changed fields.
  ///
  /// May be empty when only join table rows changed.
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

  /// Creates a lock.
  public init(objectID: ManagedObjectID, version: Int64) {
    self.objectID = objectID
    self.version = version
  }
}

/// Join table rows added to and removed from one relationship.
public struct RelationshipChanges: Sendable {
  /// One join table row.
  public struct JoinTableRow: Sendable, Hashable {
    /// The object that has the relationship.
    public var source: Int64
    /// The destination.
    public var destination: Int64

    /// Creates a row.
    @inlinable
    public init(source: Int64, destination: Int64) {
      self.source = source
      self.destination = destination
    }
  }

  /// The relationship; of a pair of inverses, the one that `RelationshipDescription.joinTableOwner`
  /// names.
  public var relationship: RelationshipDescription
  /// New rows.
  ///
  /// A row that exists already is stored once.
  public var added: [JoinTableRow] = []
  /// Rows to remove.
  ///
  /// A row that does not exist is no error.
  public var removed: [JoinTableRow] = []
  /// For ordered relationships, all destinations of a source in their new order, after the changes
  /// above.
  public var orders: [(source: Int64, destinations: [Int64])] = []
  /// The same for the inverse, when that is ordered too.
  public var inverseOrders: [(source: Int64, destinations: [Int64])] = []

  /// Makes an empty set of changes to a relationship.
  public init(relationship: RelationshipDescription) { self.relationship = relationship }
}
