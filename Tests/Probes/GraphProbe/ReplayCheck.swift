import Strongroom

/// Compares a walk's file with a store that is rebuilt from the file's history.
struct ReplayCheck {
  private let model: ManagedObjectModel
  private let folder: URL
  /// What was read so far, so that a moment costs what was saved since the last one.
  private var replay = HistoryReplay()
  private var count = 0

  /// - Parameters:
  ///   - model: The model, which asks for values on every entity.
  ///   - folder: Where rebuilt stores have their files.
  init(_ model: ManagedObjectModel, in folder: URL) {
    self.model = model
    self.folder = folder
  }

  /// Compares what is stored now.
  /// - Parameters:
  ///   - container: One on the file that is open for nothing else; it is closed.
  ///   - fromStart: Whether the whole history is read again.
  ///   - report: Where the moment is counted.
  /// - Throws: `Difference`, and what reading and rebuilding throw.
  mutating func run(_ container: PersistentContainer, fromStart: Bool, _ report: inout Report) async throws {
    try await container.loadPersistentStores()
    defer { try? container.close() }
    let context = container.newContext()
    if fromStart { replay = HistoryReplay() }
    try replay.catchUp(context)
    try replay.checkEnds()
    count += 1
    let url = folder.appendingPathComponent("rebuilt-\(count).strongroom")
    defer { try? FileManager.default.removeItem(at: url) }
    try await RebuiltStore(replay, model, at: url).compare(with: context)
    report.moments += 1
    if fromStart {
      report.replayed += replay.transactionCount
      report.rebuilt += replay.things.count
    }
  }
}
