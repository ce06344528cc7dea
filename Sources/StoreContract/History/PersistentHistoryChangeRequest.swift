public import Foundation

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
  package enum Bound: Sendable {
    case token(PersistentHistoryToken?)
    case date(Date)
    case transaction(number: Int64)
  }

  package private(set) var bound: Bound
  package let isDeletion: Bool
  /// What it answers with; transactions with their changes unless set. A deletion answers with the status, or
  /// with the number of the transactions that it deleted.
  public var resultType: ResultType
  /// The greatest number of transactions, the oldest of those asked for; nil for all.
  public var fetchLimit: Int?
  /// Only transactions of these authors; nil for all.
  public var authors: Set<String>?
  /// Only changes of objects of these entities and their subentities, and transactions that have some; nil for
  /// all.
  public var entityNames: Set<String>?
  /// Only changes of this object, and transactions that have some; nil for all.
  public var objectID: ManagedObjectID?

  private init(_ bound: Bound, isDeletion: Bool) {
    self.bound = bound
    self.isDeletion = isDeletion
    resultType = isDeletion ? .statusOnly : .transactionsAndChanges
  }

  /// The same for one of several stores: from the beginning where the token has a place in another of them, and
  /// none in this one, which had no transaction then.
  package func of(_ store: UUID, among stores: [UUID]) -> Self {
    guard case .token(.some(let token)) = bound, token.position(in: store) == nil,
      stores.contains(where: { token.position(in: $0) != nil })
    else { return self }
    var request = self
    request.bound = isDeletion ? .transaction(number: 0) : .token(nil)
    return request
  }

  /// What was saved after a token; the whole history where there is none.
  public static func fetchHistory(after token: PersistentHistoryToken?) -> Self {
    Self(.token(token), isDeletion: false)
  }

  /// What was saved after a date.
  public static func fetchHistory(after date: Date) -> Self { Self(.date(date), isDeletion: false) }

  /// What was saved after a transaction.
  public static func fetchHistory(afterTransaction number: Int64) -> Self {
    Self(.transaction(number: number), isDeletion: false)
  }

  /// Deletes what was saved up to a token; all but the last transaction where there is none.
  public static func deleteHistory(before token: PersistentHistoryToken?) -> Self {
    Self(.token(token), isDeletion: true)
  }

  /// Deletes what was saved before a date.
  public static func deleteHistory(before date: Date) -> Self { Self(.date(date), isDeletion: true) }

  /// Deletes the transactions before one.
  public static func deleteHistory(beforeTransaction number: Int64) -> Self {
    Self(.transaction(number: number), isDeletion: true)
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
  public package(set) var count = 0

  /// Makes an empty result, for stores of other kinds.
  public init(_ resultType: PersistentHistoryChangeRequest.ResultType) { self.resultType = resultType }

  /// Adds what another store answered.
  package mutating func append(_ other: PersistentHistoryResult) {
    transactions += other.transactions
    changes += other.changes
    objectIDs += other.objectIDs
    count += other.count
  }
}
