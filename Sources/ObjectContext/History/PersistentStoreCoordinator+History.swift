public import Foundation
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
  /// A store that the token says nothing about, since it has had no transaction then, answers with its
  /// whole history. Each store's own calls state the statements.
  /// - Throws: `StoreError`: `historyTokenExpired` and `historyTokenForeign` with the token of all stores
  ///   to go on from; `unsupportedRequest` of a store without a history; `notFound` for an entity that the
  ///   model has not.
  @discardableResult
  public func execute(_ request: PersistentHistoryChangeRequest) throws -> PersistentHistoryResult {
    for name in request.entityNames ?? [] where managedObjectModel.entity(named: name) == nil {
      throw StoreError(.notFound, "the model has no entity \(name) to look for in the history")
    }
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

  // MARK: Consumers

  /// Those who read the stores' histories, by name.
  ///
  /// One statement for each store.
  /// - Throws: `StoreError`.
  public func historyConsumers(of stores: [any IncrementalStore]? = nil) throws -> [PersistentHistoryConsumer]
  {
    try (stores ?? persistentStores).flatMap { try $0.historyConsumers }
  }

  /// Registers a consumer of the stores' histories at their ends, or, where it is registered, says that it
  /// is still there.
  ///
  /// What it has not read is not deleted as long as it registers or says what it has read once in its span.
  /// Ask with `PersistentHistoryChangeRequest.fetchHistory(forConsumer:)`, work, then call
  /// `advanceHistoryConsumer(_:to:)`. In each store, in one transaction, three or four statements.
  /// - Parameters:
  ///   - name: A name that no other program uses for something else, as `com.example.notes.widget`.
  ///   - span: For how many seconds of silence the histories wait for it.
  /// - Throws: `StoreError`, with code `invalidValue` for a name without a character.
  public func registerHistoryConsumer(_ name: String, span: TimeInterval = 30 * 86_400) throws {
    if name.isEmpty { throw StoreError(.invalidValue, "a consumer of the history needs a name") }
    for store in persistentStores { try store.registerHistoryConsumer(name, span: span) }
  }

  /// Says that a consumer has read up to a token; where it was further, it stays.
  ///
  /// Two statements in each store that the token is of.
  /// - Throws: `StoreError`: `notFound` where it is not registered; `historyTokenForeign`,
  ///   `historyTokenExpired`.
  public func advanceHistoryConsumer(_ name: String, to token: PersistentHistoryToken) throws {
    for store in persistentStores where token.position(in: store.identifier) != nil {
      try store.advanceHistoryConsumer(name, to: token)
    }
  }

  /// Removes a consumer, for which the histories wait no longer.
  ///
  /// One statement in each store.
  /// - Returns: Whether there was one of the name.
  /// - Throws: `StoreError`.
  @discardableResult
  public func removeHistoryConsumer(_ name: String) throws -> Bool {
    try persistentStores.reduce(false) { try $1.removeHistoryConsumer(name) || $0 }
  }
}
