import Locks

/// What the stages of one migration know of the copy that is left beside the store when they drop
/// data: there is one, of the store as it was before the first stage that does.
package final class PreMigrationCopyState: Sendable {
  private struct State: Sendable {
    var isMade = false
    var isWanted = false
  }

  private let state = Locked(State())

  package init() {}

  /// Whether a stage that drops data must copy the store first, since no earlier stage did.
  func needsCopy() -> Bool { state.withLock { !$0.isMade } }

  func recordMade() { state.withLock { $0.isMade = true } }

  /// A stage that is done on a draft drops data: the store is copied before the draft takes its
  /// place.
  func want() { state.withLock { $0.isWanted = true } }

  var isWanted: Bool { state.withLock { $0.isWanted && !$0.isMade } }
}
