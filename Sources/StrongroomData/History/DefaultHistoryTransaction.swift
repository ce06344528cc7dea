public import Foundation

/// What one save, batch or long value changed in a store, and who made it.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// A place in the history.
  public typealias TokenType = DefaultHistoryToken
  /// The number of a transaction in its store.
  public typealias TransactionIdentifier = Int64

  /// When it was committed, by the clock of the process that did.
  public let timestamp: Date
  /// What was inserted, updated and deleted; models of classes that are not in the schema are left out.
  public let changes: [HistoryChange]
  /// The place in the history after it.
  public let token: DefaultHistoryToken
  /// Its number in the store.
  public let transactionIdentifier: Int64
  /// The store's UUID as text.
  public let storeIdentifier: String
  /// The author of the context that saved; nil where it had none.
  public let author: String?
  /// The name of the program that saved.
  public let bundleIdentifier: String
  /// The number that the system gave to the process that saved, as text.
  public let processIdentifier: String

  /// Its number in the store.
  public var id: Int64 { transactionIdentifier }

  /// The same transaction of the same store.
  public static func == (left: DefaultHistoryTransaction, right: DefaultHistoryTransaction) -> Bool {
    left.transactionIdentifier == right.transactionIdentifier
      && left.storeIdentifier == right.storeIdentifier && left.timestamp == right.timestamp
  }

  /// Hashes the number and the store.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactionIdentifier)
    hasher.combine(storeIdentifier)
  }
}
