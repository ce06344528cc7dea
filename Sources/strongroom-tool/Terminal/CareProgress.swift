import Strongroom
import Synchronization

/// Shows how far work on a whole store is: a bar a step.
final class CareProgress: Sendable {
  private let shown = Mutex<(step: StoreProgress.Step, bar: ProgressBar)?>(nil)

  func update(_ progress: StoreProgress) {
    shown.withLock { shown in
      if shown?.step != progress.step {
        shown?.bar.finish()
        shown = (progress.step, ProgressBar("\(progress.step.rawValue) pages", total: progress.total))
      }
      shown?.bar.update(progress.done)
    }
  }

  func finish() {
    shown.withLock { shown in
      shown?.bar.finish()
      shown = nil
    }
  }
}
