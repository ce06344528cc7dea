public import StoreContract

extension PersistentStoreCoordinator {
  /// The places in the stores' histories after their last transactions; nil while none has any.
  ///
  /// One statement for each store.
  /// - Throws: `StoreError`.
  public func currentPersistentHistoryToken(
    fromStores stores: [any IncrementalStore]? = nil
  ) throws -> PersistentHistoryToken? {
    try (stores ?? persistentStores).reduce(nil as PersistentHistoryToken?) { known, store in
      guard let token = try store.currentHistoryToken else { return known }
      return known?.merging(token) ?? token
    }
  }

  /// Answers a request for history, store by store, or deletes a part of it.
  ///
  /// A store that the token says nothing about, since it has had no transaction then, answers with its whole
  /// history. Each store's own calls state the statements.
  /// - Throws: `StoreError`: `historyTokenExpired` and `historyTokenForeign` with the token of all stores to go
  ///   on from; `unsupportedRequest` of a store without a history.
  public func execute(_ request: PersistentHistoryChangeRequest) throws -> PersistentHistoryResult {
    var result = PersistentHistoryResult(request.resultType)
    do {
      let stores = persistentStores
      for store in stores {
        let own = request.of(store.identifier, among: stores.map(\.identifier))
        result.append(try store.execute(own))
      }
    } catch var error as StoreError {
      if error.historyToken != nil { error.historyToken = try currentPersistentHistoryToken() }
      throw error
    }
    return result
  }
}
