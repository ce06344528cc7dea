import CLibSecret
import Foundation
import Locks
import StoreKeyring

/// Runs a blocking call on its own thread, with a deadline, and cancels it with the calling task.
enum BoundedCall {
  /// A GCancellable.
  ///
  /// GObject counts references atomically, and any thread may cancel it.
  final class Cancellable: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GCancellable>? = g_cancellable_new()

    deinit { g_object_unref(pointer) }

    /// Cancels on a thread of its own: libsecret disconnects from the signal while it is being emitted, and
    /// GLib then waits for ever.
    func cancel() { Thread.detachNewThread { g_cancellable_cancel(self.pointer) } }
  }

  private enum Outcome: Sendable { case waiting, timedOut, cancelled, done }

  static func run<R: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable (Cancellable) throws -> R
  ) async throws -> R {
    let cancellable = Cancellable()
    let outcome = SharedOutcome()
    let answer = SingleAnswer<R>()
    // The thread may stay blocked in a service that never answers; the caller resumes anyway.
    let end: @Sendable (Outcome) -> Void = { reason in
      outcome.set(reason)
      // A call that has ended needs no cancelling when its deadline comes.
      if answer.resume(with: .failure(outcome.explain(CancellationError()))) { cancellable.cancel() }
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<R, any Error>) in
        guard answer.wait(continuation) else { return }
        Thread.detachNewThread {
          do {
            let result = try body(cancellable)
            answer.resume(with: .success(result))
          } catch {
            answer.resume(with: .failure(outcome.explain(error)))
          }
        }
        let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { end(.timedOut) }
      }
    } onCancel: {
      end(.cancelled)
    }
  }

  private final class SharedOutcome: Sendable {
    private let value = Locked(Outcome.waiting)

    func set(_ outcome: Outcome) { value.withLock { if $0 == .waiting { $0 = outcome } } }

    func explain(_ error: any Error) -> any Error {
      switch value.withLock({ $0 }) {
      case .timedOut:
        KeyringError(
          .timedOut,
          "the keyring did not answer in time; check whether its program hangs, or waits for an answer"
            + " itself",
          cause: error)
      case .cancelled: KeyringError(.cancelled, "the call to the keyring was cancelled", cause: error)
      default: error
      }
    }
  }

  /// Resumes a continuation with the first result, which may come before it, and ignores later ones.
  private final class SingleAnswer<R: Sendable>: Sendable {
    private enum State {
      case idle
      case waiting(CheckedContinuation<R, any Error>)
      case early(Result<R, any Error>)
      /// Without the result, which may be a key and is not to stay in memory until the deadline.
      case done
    }

    private let state = Locked(State.idle)

    /// Takes the continuation; false where it has been resumed already.
    func wait(_ continuation: CheckedContinuation<R, any Error>) -> Bool {
      let early: Result<R, any Error>? = state.withLock { state in
        if case .early(let result) = state {
          state = .done
          return result
        }
        state = .waiting(continuation)
        return nil
      }
      if let early { continuation.resume(with: early) }
      return early == nil
    }

    /// - Returns: Whether it is the first result.
    @discardableResult
    func resume(with result: Result<R, any Error>) -> Bool {
      let (isFirst, waiting): (Bool, CheckedContinuation<R, any Error>?) = state.withLock { state in
        switch state {
        case .idle:
          state = .early(result)
          return (true, nil)
        case .waiting(let continuation):
          state = .done
          return (true, continuation)
        case .early, .done: return (false, nil)
        }
      }
      waiting?.resume(with: result)
      return isFirst
    }
  }
}
