import CLibSecret
import Foundation
import Locks
import StoreKeyring

/// Runs a blocking call on a thread of its own, with a deadline and with the task's cancellation passed on.
enum BoundedCall {
  /// A GCancellable; GObject counts its references atomically and cancelling is safe from any thread.
  final class Cancellable: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GCancellable>? = g_cancellable_new()

    deinit { g_object_unref(pointer) }

    func cancel() { g_cancellable_cancel(pointer) }
  }

  private enum Outcome: Sendable { case waiting, timedOut, cancelled, done }

  static func run<R: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable (Cancellable) throws -> R
  ) async throws -> R {
    let cancellable = Cancellable()
    let outcome = SharedOutcome()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<R, any Error>) in
        let answer = SingleAnswer(continuation)
        Thread.detachNewThread {
          do {
            let result = try body(cancellable)
            answer.resume(with: .success(result))
          } catch {
            answer.resume(with: .failure(outcome.explain(error)))
          }
        }
        let seconds = Double(limit.components.seconds) + Double(limit.components.attoseconds) / 1e18
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) {
          outcome.set(.timedOut)
          cancellable.cancel()
          // A service that does not answer at all may hold the thread; the caller is let go all the same.
          answer.resume(with: .failure(outcome.explain(CancellationError())))
        }
      }
    } onCancel: {
      outcome.set(.cancelled)
      cancellable.cancel()
    }
  }

  private final class SharedOutcome: Sendable {
    private let value = Locked(Outcome.waiting)

    func set(_ outcome: Outcome) { value.withLock { if $0 == .waiting { $0 = outcome } } }

    func explain(_ error: any Error) -> any Error {
      switch value.withLock({ $0 }) {
      case .timedOut:
        KeyringError(
          .timedOut, "the keyring did not answer in time; see whether its program hangs", cause: error)
      case .cancelled: KeyringError(.cancelled, "the call to the keyring was cancelled", cause: error)
      default: error
      }
    }
  }

  /// Answers a continuation once, whoever comes first.
  private final class SingleAnswer<R: Sendable>: Sendable {
    private let continuation: Locked<CheckedContinuation<R, any Error>?>

    init(_ continuation: CheckedContinuation<R, any Error>) { self.continuation = Locked(continuation) }

    func resume(with result: Result<R, any Error>) {
      let waiting = continuation.withLock { waiting in
        defer { waiting = nil }
        return waiting
      }
      waiting?.resume(with: result)
    }
  }
}
