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
          // The thread may stay blocked in a service that never answers; the caller resumes anyway.
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
          .timedOut, "the keyring did not answer in time; check whether its program hangs", cause: error)
      case .cancelled: KeyringError(.cancelled, "the call to the keyring was cancelled", cause: error)
      default: error
      }
    }
  }

  /// Resumes a continuation with the first result and ignores later ones.
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
