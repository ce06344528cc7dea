public import Foundation

/// Which transactions of a history to fetch or delete, and in what order.
public struct HistoryDescriptor<TransactionType: HistoryTransaction> {
  /// The condition; nil for all.
  public var predicate: Predicate<TransactionType>?
  /// The greatest number of transactions; 0 for no limit.
  public var fetchLimit: UInt64 = 0
  /// The order; that of the saves when there is none.
  public var sortBy: [SortDescriptor<TransactionType>] = []

  /// Describes transactions.
  public init(predicate: Predicate<TransactionType>? = nil) { self.predicate = predicate }

  /// Describes transactions, and their order.
  public init(predicate: Predicate<TransactionType>? = nil, sortBy: [SortDescriptor<TransactionType>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
