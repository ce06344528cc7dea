import Foundation
import ObjectContext
import StoreContract

extension ModelContext {
  /// The transactions that a descriptor asks for: what contexts, batches, other programs and other processes
  /// saved into the container's stores.
  ///
  /// Unsaved changes are in no transaction.
  ///
  /// What the predicate says of token, number, time and author bounds what is read; the rest is
  /// evaluated in memory. The last transactions alone, by a reverse order of tokens or numbers and a limit,
  /// are found from the end. What several stores have is in the descriptor's order, else store by store; a
  /// program's own store without a history adds nothing. Three statements for each store, and for each 512
  /// transactions.
  /// - Throws: `SwiftDataError`: `historyTokenExpired` where what follows the token was deleted, or the token
  ///   is of another store or a copy that went another way, with `historyToken` to go on from once the models
  ///   were read again; `invalidTransactionFetchRequest` where the predicate cannot be evaluated.
  ///   `DataStoreError.unsupportedFeature` for other transactions than `DefaultHistoryTransaction`;
  ///   `StoreError`.
  public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
    let sources = try historySources(of: T.self)
    guard let first = sources.first else { throw DataStoreError.unsupportedFeature }
    if sources.count == 1 { return try first.fetch(descriptor) }
    return try found(descriptor, in: sources).map(\.transaction)
  }

  /// Deletes the transactions that a descriptor asks for: the first of its order where it has a limit.
  ///
  /// A token from before deleted transactions may be expired afterwards. Three statements for each store and
  /// for each 512 transactions, and five for each store that has some to delete.
  /// - Throws: as `fetchHistory(_:)`; `StoreError.readOnly`.
  public func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
    let sources = try historySources(of: T.self)
    if sources.isEmpty { throw DataStoreError.unsupportedFeature }
    if sources.count == 1 || descriptor.fetchLimit == 0 {
      for source in sources { try source.delete(descriptor) }
      return
    }
    // The first of the order may all be of one store. Of each store they are the first of its own order.
    let counts = Dictionary(grouping: try found(descriptor, in: sources), by: \.source).mapValues(\.count)
    for (place, count) in counts.sorted(by: { $0.key < $1.key }) {
      var part = descriptor
      part.fetchLimit = UInt64(count)
      try sources[place].delete(part)
    }
  }

  /// What several histories have of a descriptor, and which one each transaction is of.
  private func found<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, in sources: [HistorySource<T>]
  ) throws -> [(transaction: T, source: Int)] {
    var all: [(transaction: T, source: Int)] = []
    for (place, source) in sources.enumerated() {
      all += try source.fetch(descriptor).map { ($0, place) }
    }
    if !descriptor.sortBy.isEmpty {
      all.sort { descriptor.sortBy.compare($0.transaction, $1.transaction) == .orderedAscending }
    }
    return descriptor.fetchLimit == 0 ? all : Array(all.prefix(Int(clamping: descriptor.fetchLimit)))
  }

  /// The histories of such transactions: those of a program's own stores, then that of all other stores.
  private func historySources<T: HistoryTransaction>(of type: T.Type) throws -> [HistorySource<T>] {
    // Of a container that was invalidated, none is left.
    _ = try core.engine.persistentStoreCoordinator.persistentStore
    var sources = core.customStores.compactMap { store -> HistorySource<T>? in
      guard let own = store.dataStore as? any HistoryProviding<T> else { return nil }
      return HistorySource(
        fetch: { descriptor in try store.withLock { try own.fetchHistory(descriptor) } },
        delete: { descriptor in try store.withLock { try own.deleteHistory(descriptor) } })
    }
    let others = HistorySource<DefaultHistoryTransaction>(
      fetch: { try self.history($0) },
      delete: { descriptor in
        try self.withHistoryErrors { try HistoryDeletion(self.core, descriptor).run() }
      })
    if sources.isEmpty || core.hasOtherStores, let others = others as? HistorySource<T> {
      sources.append(others)
    }
    return sources
  }

  private func history(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try withHistoryErrors {
      let scan = try HistoryScan(core, HistoryQuery(descriptor.predicate), withChanges: true)
      let limit = descriptor.fetchLimit == 0 ? Int.max : Int(clamping: descriptor.fetchLimit)
      var changes = HistoryChanges(core)
      var found: [DefaultHistoryTransaction] = []
      let order = descriptor.order(isOfOneStore: scan.isOfOneStore)
      func take(_ entry: HistoryScan.Entry) throws -> Bool {
        let transaction = try changes.transaction(entry)
        if try descriptor.accepts(transaction) { found.append(transaction) }
        return order == .other || found.count < limit
      }
      switch order {
      case .backward where limit < .max: try scan.forEachBackward(take)
      case .backward:
        try scan.forEach(take)
        found.reverse()
      case .forward: try scan.forEach(take)
      case .other:
        try scan.forEach(take)
        found.sort(using: descriptor.sortBy)
        found = Array(found.prefix(limit))
      }
      return found
    }
  }

  private func withHistoryErrors<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch var error as StoreError {
      // The program goes on in all stores.
      if error.historyToken != nil {
        error.historyToken = try core.engine.persistentStoreCoordinator.currentPersistentHistoryToken()
      }
      throw SwiftDataError.ofHistory(error)
    }
  }
}

/// One of the histories of a container.
private struct HistorySource<TransactionType: HistoryTransaction> {
  let fetch: (HistoryDescriptor<TransactionType>) throws -> [TransactionType]
  let delete: (HistoryDescriptor<TransactionType>) throws -> Void
}

/// How the transactions that are asked for follow each other.
enum HistoryOrder {
  /// In the order in which they were saved.
  case forward
  /// The last one first.
  case backward
  /// By something else.
  case other
}

extension HistoryDescriptor<DefaultHistoryTransaction> {
  func order(isOfOneStore: Bool) -> HistoryOrder {
    guard let first = sortBy.first else { return .forward }
    let path = first.keyPath
    let isNatural =
      path == \DefaultHistoryTransaction.token || path == \DefaultHistoryTransaction.transactionIdentifier
    guard isNatural, isOfOneStore else { return .other }
    return first.order == .forward ? .forward : .backward
  }

  /// - Throws: `SwiftDataError.invalidTransactionFetchRequest` where the predicate cannot be evaluated.
  func accepts(_ transaction: DefaultHistoryTransaction) throws -> Bool {
    do { return try predicate?.evaluate(transaction) ?? true } catch {
      throw SwiftDataError(
        .invalidTransactionFetchRequest,
        "the predicate of a history cannot be evaluated (\(error)); compare the transactions' properties with"
          + " values",
        cause: error)
    }
  }
}
