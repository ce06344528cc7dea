import Locks
import StoreTransfer
import Strongroom

/// Shows the progress of maintenance, one bar per step.
final class MaintenanceProgress: Sendable {
  private let shown = Locked<(title: String, bar: ProgressBar)?>(nil)

  /// Runs work that reports its progress.
  ///
  /// When stopped by a signal, the work cleans up and throws.
  static func run<R: Sendable>(
    _ work: @escaping @Sendable (@escaping @Sendable (StoreProgress) -> Void) async throws -> R
  ) async throws -> R {
    try await show { progress in
      try await work { progress.update(title($0.step), $0.done, $0.total) }
    }
  }

  /// Runs a move or a comparison, as `run`.
  static func runMove<R: Sendable>(
    _ work: @escaping @Sendable (@escaping @Sendable (StoreMoveProgress) -> Void) async throws -> R
  ) async throws -> R {
    try await show { progress in
      try await work {
        let title = $0.step == .moving ? "moving objects and links" : "comparing objects and links"
        progress.update(title, $0.done, $0.total)
      }
    }
  }

  private static func show<R: Sendable>(
    _ work: @escaping @Sendable (MaintenanceProgress) async throws -> R
  ) async throws -> R {
    let progress = MaintenanceProgress()
    do {
      let result = try await Interruptible.run { try await work(progress) }
      progress.finish()
      return result
    } catch {
      progress.finish(isWhole: false)
      throw error
    }
  }

  private func update(_ title: String, _ done: Int, _ total: Int) {
    shown.withLock { shown in
      if shown?.title != title {
        shown?.bar.finish()
        shown = (title, ProgressBar(title, total: total))
      }
      shown?.bar.update(done)
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
