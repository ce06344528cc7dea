public import Foundation
public import ObjectQuery

/// Asks for a part of a store's history, or to delete one.
///
/// As `NSPersistentHistoryChangeRequest`.
public struct PersistentHistoryChangeRequest: Sendable {
  /// What a request answers with.
  public enum ResultType: Sendable, CaseIterable {
    /// Whether it was done.
    case statusOnly
    /// The IDs of the changed objects, each once, in the order of their first change.
    case objectIDs
    /// The number of transactions.
    case count
    /// Transactions without their changes.
    case transactionsOnly
    /// Changes without their transactions.
    case changesOnly
    /// Transactions with their changes.
    case transactionsAndChanges
  }

  /// Where the part begins or ends.
  ///
  /// A store reads it; programs make requests by `fetchHistory` and `deleteHistory`.
  public enum Bound: Sendable {
    /// What follows a token, or what goes up to it; all of it where there is none.
    case token(PersistentHistoryToken?)
    /// What was saved after a date, or before it.
    case date(Date)
    /// What follows a transaction, or comes before it.
    case transaction(number: Int64)
    /// What a consumer has not read.
    case consumer(String)
    /// Transactions wherever they are; of deletions only, after which tokens of earlier ones stay valid.
    case transactions([Int64])
  }

  /// Where the part that is asked for begins, or the one that is to be deleted ends.
  public private(set) var bound: Bound
  /// Whether it deletes.
  public let isDeletion: Bool
  /// What it answers with; transactions with their changes unless set.
  ///
  /// A deletion answers with the status, or with the number of the transactions that it deleted, and deletes
  /// none that a registered consumer within its span has not read.
  public var resultType: ResultType
  /// The greatest number of transactions, the oldest of those asked for; nil for all.
  public var fetchLimit: Int?
  /// Only transactions of these authors; nil for all.
  public var authors: Set<String>?
  /// Only changes of objects of these entities and their subentities, and transactions that have some; nil
  /// for all.
  public var entityNames: Set<String>?
  /// Only changes of this object, and transactions that have some; nil for all.
  public var objectID: ManagedObjectID?

  /// Only transactions that meet a condition; nil for all.
  ///
  /// Its names are Core Data's: `author`, `bundleID` (the program), `contextName`, `processID` and
  /// `storeID` as text, `timestamp`, `transactionNumber`, and `changes`; or a transaction's own:
  /// `processName`, `processIdentifier`, `storeIdentifier`.
  public var transactionPredicate: FetchPredicate?
  /// Only changes that meet a condition, and transactions that have some; nil for all.
  ///
  /// Its names are `changeID`, `changeType` (the raw value), `changedEntity`, `changedObjectID` (the URI),
  /// and `transaction`.
  public var changePredicate: FetchPredicate?

  private init(_ bound: Bound, isDeletion: Bool) {
    self.bound = bound
    self.isDeletion = isDeletion
    resultType = isDeletion ? .statusOnly : .transactionsAndChanges
  }

  /// The same for one of several stores: from the beginning where the token has a place in another of them,
  /// and none in this one, which had no transaction then.
  package func of(_ store: UUID, among stores: [UUID]) -> Self {
    guard case .token(.some(let token)) = bound, token.position(in: store) == nil,
      stores.contains(where: { token.position(in: $0) != nil })
    else { return self }
    var request = self
    request.bound = isDeletion ? .transaction(number: 0) : .token(nil)
    return request
  }

  /// The same request, from after a transaction on.
  public mutating func `continue`(after number: Int64) { bound = .transaction(number: number) }

  /// What was saved after a token; the whole history where there is none.
  public static func fetchHistory(after token: PersistentHistoryToken?) -> Self {
    Self(.token(token), isDeletion: false)
  }

  /// What was saved after a date, as far as it was not purged: only a token notices that.
  public static func fetchHistory(after date: Date) -> Self { Self(.date(date), isDeletion: false) }

  /// What was saved after a transaction, as far as it was not purged: only a token notices that.
  public static func fetchHistory(afterTransaction number: Int64) -> Self {
    Self(.transaction(number: number), isDeletion: false)
  }

  /// What a consumer has not read.
  ///
  /// Register it with `PersistentStoreCoordinator.registerHistoryConsumer(_:span:)`.
  public static func fetchHistory(forConsumer name: String) -> Self {
    Self(.consumer(name), isDeletion: false)
  }

  /// Deletes what was saved up to a token; all of it where there is none.
  public static func deleteHistory(before token: PersistentHistoryToken?) -> Self {
    Self(.token(token), isDeletion: true)
  }

  /// Deletes what was saved before a date.
  public static func deleteHistory(before date: Date) -> Self { Self(.date(date), isDeletion: true) }

  /// Deletes the transactions before one.
  public static func deleteHistory(beforeTransaction number: Int64) -> Self {
    Self(.transaction(number: number), isDeletion: true)
  }

  /// Deletes transactions wherever they are; tokens of earlier ones stay valid.
  package static func deleteHistory(transactionNumbers numbers: [Int64]) -> Self {
    Self(.transactions(numbers), isDeletion: true)
  }
}

/// What a request for history answers.
///
/// As `NSPersistentHistoryResult`.
public struct PersistentHistoryResult: Sendable {
  /// What was asked for.
  public let resultType: PersistentHistoryChangeRequest.ResultType
  /// The transactions, oldest first; none where they were not asked for.
  public package(set) var transactions: [PersistentHistoryTransaction] = []
  /// The changes, oldest first; none where they were not asked for alone.
  public package(set) var changes: [PersistentHistoryChange] = []
  /// The objects; none where they were not asked for.
  public package(set) var objectIDs: [ManagedObjectID] = []
  /// The number of transactions that were found, or deleted.
  public var count = 0
  /// Of a deletion: the consumer that has not read what was to go as well; nil where all of it went.
  public var limitingConsumer: PersistentHistoryConsumer?

  /// Makes an empty result, for stores of other kinds.
  public init(_ resultType: PersistentHistoryChangeRequest.ResultType) { self.resultType = resultType }

  private var seen: Set<ManagedObjectID> = []

  /// Adds what a store found, in the form that was asked for.
  public mutating func append(_ transaction: PersistentHistoryTransaction) {
    count += 1
    switch resultType {
    case .statusOnly, .count: return
    case .changesOnly: changes += transaction.changes ?? []
    case .objectIDs:
      objectIDs += (transaction.changes ?? []).map(\.changedObjectID).filter { seen.insert($0).inserted }
    case .transactionsOnly:
      var alone = transaction
      alone.changes = nil
      transactions.append(alone)
    case .transactionsAndChanges: transactions.append(transaction)
    }
  }

  /// Adds what another store answered.
  package mutating func append(_ other: PersistentHistoryResult) {
    transactions += other.transactions
    changes += other.changes
    objectIDs += other.objectIDs
    count += other.count
    limitingConsumer = limitingConsumer ?? other.limitingConsumer
  }
}
