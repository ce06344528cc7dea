import Foundation
import ObjectContext
import StoreContract

/// Reads what a query asks for out of the history of a container's stores.
///
/// Pages bound the memory that transactions take which a predicate does not want.
struct HistoryScan {
  /// A transaction as the engine has it, with the token of all stores after it.
  struct Entry {
    let transaction: PersistentHistoryTransaction
    let token: DefaultHistoryToken
  }

  private static let pageSize = 512

  private let query: HistoryQuery
  private let stores: [any IncrementalStore]
  private let resultType: PersistentHistoryChangeRequest.ResultType

  /// - Throws: `SwiftDataError.historyTokenExpired` for a token of another history.
  init(_ core: ContainerCore, _ query: HistoryQuery, withChanges: Bool) throws {
    self.query = query
    resultType = withChanges ? .transactionsAndChanges : .transactionsOnly
    stores = try core.storesWithHistory
    for token in query.otherTokens {
      do { try check(token) } catch let error as StoreError where error.code == .historyTokenExpired {
        // What it is to be before or after of is known all the same.
      }
    }
  }

  /// Whether the order of one store's transactions is that of all.
  var isOfOneStore: Bool { stores.count == 1 }

  func store(of identifier: UUID) -> (any IncrementalStore)? { stores.first { $0.identifier == identifier } }

  private func check(_ token: DefaultHistoryToken) throws {
    for store in stores {
      var request = request(after: token, in: store)
      request.resultType = .statusOnly
      request.fetchLimit = 0
      _ = try store.execute(request)
    }
  }

  private func request(
    after token: DefaultHistoryToken?, in store: any IncrementalStore
  ) -> PersistentHistoryChangeRequest {
    .fetchHistory(after: token?.persistentToken).of(store.identifier, among: stores.map(\.identifier))
  }

  /// Goes through the transactions in the order in which they were saved, until the closure answers false.
  func forEach(_ body: (Entry) throws -> Bool) throws {
    if let store = stores.first, isOfOneStore {
      return try forEach(in: store) {
        try body(Entry(transaction: $0, token: DefaultHistoryToken($0.token)))
      }
    }
    let found = try stores.map { store in
      var own: [PersistentHistoryTransaction] = []
      try forEach(in: store) {
        own.append($0)
        return true
      }
      return own
    }
    // A program goes on from the last one's token, which has to cover all stores.
    var token = query.after ?? DefaultHistoryToken(PersistentHistoryToken([:]))
    for transaction in Self.inOrder(found) {
      token = token.merging(DefaultHistoryToken(transaction.token))
      if try !body(Entry(transaction: transaction, token: token)) { return }
    }
  }

  /// The transactions of several stores by their times.
  ///
  /// Those of one store stay in their order, also where a clock was set back: each one's token stands for all
  /// before it.
  static func inOrder(_ stores: [[PersistentHistoryTransaction]]) -> [PersistentHistoryTransaction] {
    var found: [(time: Date, place: Int, transaction: PersistentHistoryTransaction)] = []
    for (place, transactions) in stores.enumerated() {
      var latest = Date.distantPast
      for transaction in transactions {
        latest = max(latest, transaction.timestamp)
        found.append((latest, place, transaction))
      }
    }
    found.sort {
      ($0.time, $0.place, $0.transaction.transactionNumber)
        < ($1.time, $1.place, $1.transaction.transactionNumber)
    }
    return found.map(\.transaction)
  }

  private func forEach(
    in store: any IncrementalStore, _ body: (PersistentHistoryTransaction) throws -> Bool
  ) throws {
    var request: PersistentHistoryChangeRequest =
      if let after = query.after {
        self.request(after: after, in: store)
      } else if let number = query.afterNumber {
        .fetchHistory(afterTransaction: number)
      } else if let date = query.afterDate {
        .fetchHistory(after: date)
      } else {
        .fetchHistory(after: nil as PersistentHistoryToken?)
      }
    while true {
      request.resultType = resultType
      request.authors = query.authors
      request.fetchLimit = Self.pageSize
      let page = try store.execute(request).transactions
      for transaction in page where try !body(transaction) { return }
      guard let last = page.last, page.count == Self.pageSize else { return }
      // Where the next page was purged meanwhile, a program that goes on from a token has to know.
      request =
        query.after == nil
        ? .fetchHistory(afterTransaction: last.transactionNumber) : .fetchHistory(after: last.token)
    }
  }

  /// Goes through the transactions of the only store from the last one back, until the closure answers false.
  func forEachBackward(_ body: (Entry) throws -> Bool) throws {
    guard let store = stores.first else { return }
    if let after = query.after { try check(after) }
    let position = try store.currentHistoryToken?.position(in: store.identifier)
    guard var upper = position?.transactionNumber else { return }
    var least = max(
      query.after?.tokenValue?[store.identifier.uuidString] ?? 0, query.afterNumber ?? 0, 0)
    // Where many were deleted, there are no more numbers to look at.
    var oldest = PersistentHistoryChangeRequest.fetchHistory(afterTransaction: least)
    oldest.resultType = .transactionsOnly
    oldest.fetchLimit = 1
    guard let first = try store.execute(oldest).transactions.first else { return }
    least = max(least, first.transactionNumber - 1)
    var size = Int64(8)
    while upper > least {
      let lower = max(least, upper - size)
      var request = PersistentHistoryChangeRequest.fetchHistory(afterTransaction: lower)
      request.resultType = resultType
      request.authors = query.authors
      // There are no more than these up to the upper one.
      request.fetchLimit = Int(upper - lower)
      for transaction in try store.execute(request).transactions.reversed()
      where transaction.transactionNumber <= upper {
        let entry = Entry(transaction: transaction, token: DefaultHistoryToken(transaction.token))
        if try !body(entry) { return }
      }
      upper = lower
      size = min(size * 4, Int64(Self.pageSize))
    }
  }
}

extension ContainerCore {
  /// - Throws: `DataStoreError.unsupportedFeature` where none has one.
  var storesWithHistory: [any IncrementalStore] {
    get throws {
      var probe = PersistentHistoryChangeRequest.fetchHistory(after: nil as PersistentHistoryToken?)
      probe.resultType = .statusOnly
      probe.fetchLimit = 0
      let stores = try engine.persistentStoreCoordinator.persistentStores.filter { store in
        do { _ = try store.execute(probe) } catch let error as StoreError
          where error.code == .unsupportedRequest
        { return false }
        return true
      }
      if stores.isEmpty { throw DataStoreError.unsupportedFeature }
      return stores
    }
  }
}
