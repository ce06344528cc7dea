import Dispatch
import Locks
import StoreContract

/// The read that is being answered, which all other requests wait for.
///
/// It is interrupted where its page does not wait for it any more, where a change does, and at the end.
final class RunningRead: Sendable {
  private struct State {
    var read: FetchProgress?
    var isEnd = false
  }

  private let state = Locked(State())

  /// Reads, in the middle of a statement until it is interrupted.
  /// - Throws: `Interrupted` then; what the body throws.
  func run<R>(_ read: FetchProgress, _ body: () throws -> R) throws -> R {
    let isEnd = state.withLock { state in
      state.read = read
      return state.isEnd
    }
    defer { state.withLock { $0.read = nil } }
    if isEnd || read.isCancelled { throw Interrupted() }
    do { return try FetchProgress.$current.withValue(read, operation: body) } catch {
      throw read.isCancelled ? Interrupted() : error
    }
  }

  /// Interrupts what is read now.
  func interrupt() { state.withLock { $0.read }.map(Self.cancel) }

  /// Interrupts what is read now and whatever would be read later.
  func end() {
    state.withLock { $0.isEnd = true }
    interrupt()
  }

  /// A server is asked to end its statement, for which a caller may not be able to wait.
  static func cancel(_ read: FetchProgress) { DispatchQueue.global().async { read.cancel() } }

  struct Interrupted: Error {}
}
