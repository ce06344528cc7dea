import Dispatch
import Glibc
import Locks
import Strongroom

/// Shows how far work on a whole store is, a bar a step, and lets Ctrl-C end it without a trace.
final class CareProgress: Sendable {
  private let shown = Locked<(step: StoreProgress.Step, bar: ProgressBar)?>(nil)

  /// Runs work that tells its progress. Ctrl-C cancels it; it then cleans up and throws.
  static func run<R: Sendable>(
    _ work: @escaping @Sendable (@escaping @Sendable (StoreProgress) -> Void) async throws -> R
  ) async throws -> R {
    let progress = CareProgress()
    let task = Task { try await work { progress.update($0) } }
    signal(SIGINT, SIG_IGN)
    let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    interrupt.setEventHandler { task.cancel() }
    interrupt.resume()
    defer {
      interrupt.cancel()
      signal(SIGINT, SIG_DFL)
      progress.finish()
    }
    return try await task.value
  }

  private func update(_ progress: StoreProgress) {
    shown.withLock { shown in
      if shown?.step != progress.step {
        shown?.bar.finish()
        shown = (progress.step, ProgressBar("\(progress.step.rawValue) pages", total: progress.total))
      }
      shown?.bar.update(progress.done)
    }
  }

  private func finish() {
    shown.withLock { shown in
      shown?.bar.finish()
      shown = nil
    }
  }
}
