import Locks
import Strongroom

/// Shows the progress of maintenance, one bar per step.
final class MaintenanceProgress: Sendable {
  private let shown = Locked<(step: StoreProgress.Step, bar: ProgressBar)?>(nil)

  /// Runs work that reports its progress.
  ///
  /// When stopped by a signal, the work cleans up and throws.
  static func run<R: Sendable>(
    _ work: @escaping @Sendable (@escaping @Sendable (StoreProgress) -> Void) async throws -> R
  ) async throws -> R {
    let progress = MaintenanceProgress()
    do {
      let result = try await Interruptible.run { try await work { progress.update($0) } }
      progress.finish()
      return result
    } catch {
      progress.finish(isWhole: false)
      throw error
    }
  }

  private func update(_ progress: StoreProgress) {
    shown.withLock { shown in
      if shown?.step != progress.step {
        shown?.bar.finish()
        shown = (progress.step, ProgressBar(Self.title(progress.step), total: progress.total))
      }
      shown?.bar.update(progress.done)
    }
  }

  private static func title(_ step: StoreProgress.Step) -> String {
    switch step {
    case .importing: "importing rows and links"
    case .exporting: "exporting objects"
    case .comparing: "comparing objects"
    default: step.rawValue + " pages"
    }
  }

  private func finish(isWhole: Bool = true) {
    shown.withLock { shown in
      shown?.bar.finish(isWhole: isWhole)
      shown = nil
    }
  }
}
