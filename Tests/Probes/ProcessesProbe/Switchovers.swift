import Foundation
import PostgresServer
import Synchronization

/// Has the standby take the primary's place at even intervals: after a fast shutdown, after a kill, in turn.
final class Switchovers: Sendable {
  private struct State {
    var isSwitching = false
    var isOver = false
    var count = 0
    var failure: (any Error)?
  }

  let pair: PostgresPair
  private let state = Mutex(State())

  /// Begins.
  init(_ pair: PostgresPair, count: Int, seconds: Int) {
    self.pair = pair
    let start = Date()
    Thread.detachNewThread { [self] in
      defer { state.withLock { $0.isOver = true } }
      for turn in 0..<count where state.withLock({ $0.failure == nil }) {
        Thread.sleep(until: start + Double(seconds * (turn + 1)) / Double(count + 1))
        state.withLock { $0.isSwitching = true }
        let result = Result { try pair.switchOver(isKilled: turn % 2 == 1) }
        state.withLock { state in
          state.isSwitching = false
          if case .failure(let error) = result { state.failure = error } else { state.count += 1 }
        }
      }
    }
  }

  /// Kills the primary, which starts again, unless it is being changed.
  /// - Returns: Whether it was killed.
  func crash() -> Bool {
    state.withLock { state in
      if !state.isSwitching { pair.primary.crash() }
      return !state.isSwitching
    }
  }

  /// How often the primary was changed.
  /// - Throws: What prevented one.
  var count: Int {
    get throws {
      try state.withLock { state in
        if let failure = state.failure { throw failure }
        return state.count
      }
    }
  }

  /// Waits for the end of the last, also where they are late, or of the first that fails.
  func wait() { while !state.withLock({ $0.isOver }) { usleep(50_000) } }
}
