public import Foundation

/// A position in a store's history.
public protocol HistoryToken: Comparable, Hashable, Codable, Sendable {
  /// What counts the transactions of a store.
  associatedtype TokenType: Comparable & Hashable & Codable & Sendable
  /// The count in each store, by the store's identifier.
  var tokenValue: [String: TokenType]? { get }
}

/// What one save stored, as a history reports it.
public protocol HistoryTransaction<TokenType> {
  /// The kind of token.
  associatedtype TokenType: HistoryToken
  /// Where it stands in the history.
  var token: TokenType { get }
  /// The author of the context that saved.
  var author: String? { get }
  /// When it was saved.
  var timestamp: Date { get }
  /// The store, by its identifier.
  var storeIdentifier: String { get }
  /// What was inserted, updated and deleted.
  var changes: [HistoryChange] { get }
}

/// A position in a store's history.
///
/// Stores record no history here; see `ModelContext.fetchHistory(_:)`.
public struct DefaultHistoryToken: HistoryToken {
  /// The number of the transaction in each store, by the store's identifier.
  public let tokenValue: [String: Int64]?

  /// By the numbers, one store after another in the order of their identifiers.
  public static func < (left: DefaultHistoryToken, right: DefaultHistoryToken) -> Bool {
    let (one, other) = (left.tokenValue ?? [:], right.tokenValue ?? [:])
    for store in Set(one.keys).union(other.keys).sorted() {
      let (first, second) = (one[store] ?? 0, other[store] ?? 0)
      if first != second { return first < second }
    }
    return false
  }
}

/// What one save stored.
///
/// Stores record no history here; see `ModelContext.fetchHistory(_:)`.
public struct DefaultHistoryTransaction: HistoryTransaction, Identifiable {
  /// The number of the transaction in its store.
  public let transactionIdentifier: Int64
  /// Where it stands in the history.
  public let token: DefaultHistoryToken
  /// The author of the context that saved.
  public let author: String?
  /// When it was saved.
  public let timestamp: Date
  /// The store, by its identifier.
  public let storeIdentifier: String
  /// The program that saved.
  public let bundleIdentifier: String
  /// The process that saved.
  public let processIdentifier: String
  /// What was inserted, updated and deleted.
  public let changes: [HistoryChange]
  /// The number of the transaction in its store.
  public var id: Int64 { transactionIdentifier }
}
