import ObjectModel
import StoreContract

/// Counts what is done of a step.
final class ProgressCount {
  private let step: StoreMoveProgress.Step
  private let total: Int
  private let report: (StoreMoveProgress) -> Void
  private var done = 0

  /// One statement for each entity.
  init(
    _ step: StoreMoveProgress.Step, _ pages: StorePages, _ model: ManagedObjectModel,
    _ report: @escaping (StoreMoveProgress) -> Void
  ) throws {
    (self.step, self.report) = (step, report)
    let counts = try model.entities.map { try pages.count($0) }
    let linked = model.joinTableOwners.flatMap { [$0, $0.orderedInverse].compactMap { $0 } }
    total =
      counts.reduce(0, +)
      + linked.flatMap(\.entity.hierarchy).reduce(0) { $0 + counts[$1.index] }
    report(StoreMoveProgress(step: step, done: 0, total: total))
  }

  func add(_ count: Int) {
    done += count
    report(StoreMoveProgress(step: step, done: min(done, total), total: total))
  }
}
