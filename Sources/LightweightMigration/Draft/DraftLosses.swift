import Locks

/// Whether a step that was done on a draft dropped data, so that the store is copied before the
/// draft takes its place.
package final class DraftLosses: Sendable {
  private let state = Locked(false)

  /// Of a draft on which nothing was done yet.
  package init() {}

  /// Says that data was dropped.
  package func record() { state.withLock { $0 = true } }

  /// Whether data was dropped.
  package var isLossy: Bool { state.withLock { $0 } }
}
