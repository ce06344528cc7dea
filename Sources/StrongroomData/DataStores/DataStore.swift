/// What stores the models of a container: an encrypted file (`DefaultStore`), or a program's own kind.
///
/// A container calls it from any thread, one call at a time. What it answers with is snapshots of models; a
/// context makes models of them, tracks their changes, and hands snapshots of what changed back.
public protocol DataStore: AnyObject {
  /// What says where the store is.
  associatedtype Configuration: DataStoreConfiguration where Configuration.Store == Self
  /// What a model looks like for the store.
  associatedtype Snapshot: DataStoreSnapshot

  /// Opens the store, or makes it.
  /// - Throws: why it cannot be opened; the container's initialiser throws it as the `cause` of
  ///   `SwiftDataError.loadIssueModelContainer`.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Tells the store from all others, at each opening the same.
  var identifier: String { get }
  /// The schema.
  var schema: Schema { get }
  /// What the store was opened with.
  var configuration: Configuration { get }

  /// The snapshots of the models that a request asks for, in its order.
  /// - Throws: `DataStoreError.preferInMemoryFilter` or `preferInMemorySort` where the container is to
  ///   filter or sort: it asks again without; any other error ends the fetch.
  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>
  where T: PersistentModel

  /// The number of models that a request asks for; by default that of their snapshots.
  /// - Throws: as `fetch(_:)`.
  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel

  /// The identifiers of the models that a request asks for; by default those of their snapshots.
  /// - Throws: as `fetch(_:)`.
  func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel

  /// Stores all changes of a request, or none.
  /// - Returns: Among others, which identifier each new model has from now on.
  /// - Throws: why nothing was stored; `ModelContext.save()` throws it.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>

  /// Deletes everything; by default refuses with `DataStoreError.unsupportedFeature`.
  ///
  /// `ModelContainer.erase()` has deleted the models by then.
  /// - Throws: why something is left.
  func erase() throws

  /// A context begins to use the store; by default nothing happens.
  func initializeState(for editingState: EditingState)
  /// A context ends to use the store; by default nothing happens.
  func invalidateState(for editingState: EditingState)

  /// The snapshots that the store has in memory; by default none, and the container fetches.
  /// - Throws: why they cannot be read.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// The number of snapshots of the class, of which one that comes twice counts once.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
    Set(try fetchIdentifiers(request)).count
  }

  /// The identifiers of the snapshots of the class.
  public func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel {
    let names = schema.entityNames(of: T.self)
    // A schema that has not the class says nothing of its subclasses.
    return try fetch(request).fetchedSnapshots.map(\.persistentIdentifier).filter {
      names.isEmpty || names.contains($0.entityName)
    }
  }

  /// Refuses.
  public func erase() throws { throw DataStoreError.unsupportedFeature }
  /// Does nothing.
  public func initializeState(for editingState: EditingState) {}
  /// Does nothing.
  public func invalidateState(for editingState: EditingState) {}
  /// None.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// A store that deletes by a condition, without the models being read.
public protocol DataStoreBatching: DataStore {
  /// Deletes the models that a request asks for, at once.
  /// - Throws: `DataStoreError.preferInMemoryFilter` where the container is to find them; any other error
  ///   ends the deletion.
  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel
}
