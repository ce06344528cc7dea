import ArgumentParser
import BenchKit
import CLimit
import Foundation
import Strongroom

/// A live result over 100,000 rows while another process saves, beside C that reads all rows again.
struct LiveLoad: Load {
  private static let saves = 40
  private static let firstPages: Int64 = 1_000_000

  func measure(in folder: URL) async throws -> [LoadRun] {
    let workload = Workload(books: 100_000)
    let model = try libraryModel()
    let path = folder.appendingPathComponent("live").path
    try await BulkPath(workload: workload, model: model).makeStore(at: path)
    let container = try await openLibrary(path, model)
    let context = container.newContext()
    context.automaticallyMergesChangesFromParent = true
    let request = FetchRequest("Book", sortDescriptors: [FetchSortDescriptor("isbn")])
    let results = try FetchedResultsController(request, in: context, as: Book.self)
    try results.performFetch()
    var seen: [Int64: Double] = [:]
    results.onChange = { changes in
      for case .update(let book, _) in changes { seen[book.pages] = now() }
    }
    let remote = container.persistentStoreCoordinator.remoteChanges()
    let writer = try Writer(path, Self.saves)
    let busy = processorSeconds()
    let last = Self.firstPages + Int64(Self.saves) - 1
    for await _ in remote {
      context.processPendingChanges()
      if seen[last] != nil { break }
    }
    let each = (processorSeconds() - busy) / Double(Self.saves)
    let delays = try writer.saved().enumerated().compactMap { place, saved in
      seen[Self.firstPages + Int64(place)].map { ($0 - saved) * 1e3 }
    }.sorted()
    withExtendedLifetime(results) {}
    try container.close()
    let limitPath = folder.appendingPathComponent("live.c").path
    try LimitPath(workload: workload).makeStore(at: limitPath)
    let limit = try openLimit(limitPath, create: false)
    defer { lm_close(limit) }
    _ = lm_fetch_all(limit)
    let (_, again) = timed { lm_fetch_all(limit) }
    return [
      // Nothing says which rows another process changed, so each object here is compared with its row;
      // what C reads again says nothing of what changed.
      LoadRun(
        what: "live: processor time of a change", unit: "ms", bare: again * 1e3, own: each * 1e3, gate: 12),
      LoadRun(
        what: "live: from the save to the report", unit: "ms", bare: again * 1e3, own: delays.median, gate: 12
      ),
    ]
  }

  private func processorSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
  }

  /// The other process.
  private struct Writer {
    private let process = Process()
    private let pipe = Pipe()

    init(_ path: String, _ count: Int) throws {
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      process.arguments = ["live-writer", path, "\(count)", "\(LiveLoad.firstPages)"]
      process.standardOutput = pipe
      try process.run()
    }

    /// The moments after each save.
    func saved() throws -> [Double] {
      let output = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw Rounds.Failure(description: "the writer failed") }
      return String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap { Double($0) }
    }
  }
}

/// Saves changes one by one, and prints the moment after each.
struct LiveWriter: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "live-writer", shouldDisplay: false)

  @Argument var path: String
  @Argument var count: Int
  @Argument var firstPages: Int64

  func run() async throws {
    let container = try await openLibrary(path, libraryModel())
    let context = container.newContext()
    for (index, id) in try identifiers("Book", (1...Int64(count)).map { $0 * 97 }, context).enumerated() {
      guard let book = try context.object(with: id) as? Book else { throw ExitCode.failure }
      book.pages = firstPages + Int64(index)
      try context.save()
      print(now())
      usleep(400_000)
    }
    try container.close()
  }
}
