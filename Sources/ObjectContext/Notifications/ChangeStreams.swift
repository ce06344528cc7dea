import Locks

/// The streams that report one kind of change.
final class ChangeStreams<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var last = 0
    var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
  }

  private let state = Locked(State())

  var isEmpty: Bool { state.withLock { $0.continuations.isEmpty } }

  /// A stream of the elements from now on; elements that are not read yet are buffered without
  /// limit.
  ///
  /// - `ended`: Called when the reader stops.
  func stream() -> AsyncStream<Element> {
    AsyncStream { continuation in
      let key = state.withLock { state in
        state.last += 1
        state.continuations[state.last] = continuation
        return state.last
      }
      continuation.onTermination = { [weak self] _ in self?.remove(key) }
    }
  }

  private func remove(_ key: Int) {
    // The continuation is released outside the lock.
    let removed = state.withLock { $0.continuations.removeValue(forKey: key) }
    withExtendedLifetime(removed) {}
  }

  func yield(_ element: Element) {
    for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield(element) }
  }

  func finish() {
    for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.finish() }
  }
}
