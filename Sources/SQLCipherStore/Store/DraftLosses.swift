import Locks

/// Whether a step that was done on a draft dropped data, so that the store is copied before the
/// draft takes its place.
final class DraftLosses: Sendable {
  private let state = Locked(false)

  func record() { state.withLock { $0 = true } }

  var isLossy: Bool { state.withLock { $0 } }
}
