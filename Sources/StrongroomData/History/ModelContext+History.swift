public import Foundation

/// Which transactions of a history to fetch or delete.
public struct HistoryDescriptor<Transaction: HistoryTransaction> {
  /// The condition; nil for all.
  public var predicate: Predicate<Transaction>?
  /// The order; that of the saves when there is none.
  public var sortBy: [SortDescriptor<Transaction>] = []
  /// The greatest number of transactions; 0 for no limit.
  public var fetchLimit: UInt64 = 0

  /// Describes transactions.
  public init(predicate: Predicate<Transaction>? = nil) { self.predicate = predicate }
}

extension ModelContext {
  /// Refuses: stores keep no history here, neither of this process nor of others.
  ///
  /// Issues no statement. The types are there so that programs compile;
  /// `ModelContainer.didSaveModels()` and `remoteChanges()` tell of changes while the program runs.
  /// - Throws: `DataStoreError.unsupportedFeature`, always.
  public func fetchHistory<Transaction: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<Transaction>
  ) throws -> [Transaction] { throw DataStoreError.unsupportedFeature }

  /// Refuses: stores keep no history here, so there is none to delete.
  ///
  /// Issues no statement.
  /// - Throws: `DataStoreError.unsupportedFeature`, always.
  public func deleteHistory<Transaction: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<Transaction>
  ) throws { throw DataStoreError.unsupportedFeature }
}
