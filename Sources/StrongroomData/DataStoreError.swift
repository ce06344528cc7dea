public import Foundation

/// What a store cannot do.
public enum DataStoreError: Error, Sendable, Hashable, CaseIterable, LocalizedError {
  /// The condition cannot be asked of the store.
  case invalidPredicate
  /// The context should filter in memory.
  case preferInMemoryFilter
  /// The context should sort in memory.
  case preferInMemorySort
  /// The store has no such feature, as a history of what was saved.
  case unsupportedFeature

  /// What is wrong, and what to use instead.
  public var errorDescription: String? {
    switch self {
    case .invalidPredicate: "the store cannot be asked this condition"
    case .preferInMemoryFilter: "the store leaves the filtering to the context"
    case .preferInMemorySort: "the store leaves the sorting to the context"
    case .unsupportedFeature:
      "the store has no such feature, as a history of what was saved; use a ModelConfiguration, and"
        + " DefaultHistoryTransaction for the transactions of its history"
    }
  }
}
