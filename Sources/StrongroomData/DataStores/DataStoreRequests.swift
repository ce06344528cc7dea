public import Foundation

/// What a store is asked to find.
public struct DataStoreFetchRequest<T>: Sendable where T: PersistentModel {
  /// Which models, and in what order.
  public let descriptor: FetchDescriptor<T>
  /// Who asks.
  public let editingState: EditingState

  /// Makes a request.
  public init(descriptor: FetchDescriptor<T>, editingState: EditingState) {
    self.descriptor = descriptor
    self.editingState = editingState
  }
}

/// What a store found.
public struct DataStoreFetchResult<ModelType, SnapshotType>: Sendable
where ModelType: PersistentModel, SnapshotType: DataStoreSnapshot {
  /// What was asked.
  public let descriptor: FetchDescriptor<ModelType>
  /// The models, in the order that was asked for.
  public let fetchedSnapshots: [SnapshotType]
  /// Other models that come along, so that they need not be asked for.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Makes a result.
  public init(
    descriptor: FetchDescriptor<ModelType>, fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}

/// What a store is asked to save.
public struct DataStoreSaveChangesRequest<SnapshotType>: Sendable where SnapshotType: DataStoreSnapshot {
  /// Who saves.
  public let editingState: EditingState
  /// New models, with temporary identifiers.
  public let inserted: [SnapshotType]
  /// Changed models, and those whose to-manys changed with the models at the other end.
  public let updated: [SnapshotType]
  /// Models to delete.
  public let deleted: [SnapshotType]

  /// Makes a request.
  public init(
    editingState: EditingState, inserted: [SnapshotType], updated: [SnapshotType], deleted: [SnapshotType]
  ) {
    self.editingState = editingState
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }
}

/// What a store saved.
public final class DataStoreSaveChangesResult<T>: Sendable where T: DataStoreSnapshot {
  /// The store's identifier.
  public let storeIdentifier: String
  /// The permanent identifier of each temporary one.
  public let remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]
  /// Models that are other now than they were when they were handed over.
  public let snapshotsToReregister: [PersistentIdentifier: T]
  /// The place in the store's history after the save; nil where the store has none.
  public let historyToken: (any HistoryToken)?

  /// Makes a result.
  public init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:],
    snapshotsToReregister: [PersistentIdentifier: T] = [:], historyToken: (any HistoryToken)? = nil
  ) {
    self.storeIdentifier = storeIdentifier
    self.remappedIdentifiers = remappedIdentifiers
    self.snapshotsToReregister = snapshotsToReregister
    self.historyToken = historyToken
  }

  /// The result of a save of the context behind a store, which has one token for its store.
  convenience init(
    for storeIdentifier: String, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier],
    historyTokens: [Any]
  ) {
    self.init(
      for: storeIdentifier, remappedIdentifiers: remappedIdentifiers,
      historyToken: historyTokens.first as? any HistoryToken)
  }
}

/// What a store is asked to delete.
public struct DataStoreBatchDeleteRequest<T>: Sendable where T: PersistentModel {
  /// Who deletes.
  public let editingState: EditingState
  /// Whether models of subclasses go as well.
  public let includeSubclasses: Bool
  /// The condition; nil for all.
  public let predicate: Predicate<T>?

  /// Makes a request.
  public init(editingState: EditingState, includeSubclasses: Bool = true, predicate: Predicate<T>? = nil) {
    self.editingState = editingState
    self.includeSubclasses = includeSubclasses
    self.predicate = predicate
  }
}
