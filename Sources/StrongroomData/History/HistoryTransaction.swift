public import Foundation

/// What one save stored, as a history reports it.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// A place in the history.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// What identifies a transaction.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// When it was saved.
  var timestamp: Date { get }
  /// What was inserted, updated and deleted, in this order.
  var changes: [HistoryChange] { get }
  /// The place in the history after it.
  var token: TokenType { get }
  /// Identifies it.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the store.
  var storeIdentifier: String { get }
  /// The author of the context that saved; nil where it had none.
  var author: String? { get }
}
