public import StoreContract

extension ManagedObjectContext {
  /// Answers a request for the history of the coordinator's stores, or deletes a part of it.
  ///
  /// Unsaved changes are in no history. Statements and errors as
  /// `PersistentStoreCoordinator.execute(_:)`.
  /// - Throws: `StoreError`.
  public func execute(_ request: PersistentHistoryChangeRequest) throws -> PersistentHistoryResult {
    try persistentStoreCoordinator.execute(request)
  }
}
