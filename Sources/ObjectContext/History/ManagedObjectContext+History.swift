public import StoreContract

extension ManagedObjectContext {
  /// Answers a request for the history of the coordinator's stores, or deletes a part of it.
  ///
  /// Unsaved changes are in no history. Statements and errors as
  /// `PersistentStoreCoordinator.execute(_:)`.
  /// - Throws: `StoreError`.
  @discardableResult
  public func execute(_ request: PersistentHistoryChangeRequest) throws -> PersistentHistoryResult {
    try persistentStoreCoordinator.execute(request)
  }

  /// Merges what is stored now of the store that a transaction is of, as after a commit of another process.
  ///
  /// Once for all transactions of a store is enough. One statement for each root entity with registered
  /// objects.
  /// - Throws: as `mergeChanges(from:)` of a `PersistentStoreRemoteChange`.
  public func mergeChanges(from transaction: PersistentHistoryTransaction) throws {
    try mergeChanges(from: PersistentStoreRemoteChange(storeIdentifier: transaction.storeIdentifier))
  }
}
