import ArgumentParser
import BenchKit
import Foundation

/// Measures GRDB's records on plain SQLite against hand-written C on plain SQLite.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "grdb-bench")

  @Option(help: "Books in the library.") var n = 100_000
  @Option(help: "A phase, P1 to P14 or R1 to R4; may be given more than once.") var phase: [String] = []
  @Option(help: "Pairs of runs per phase.") var rounds = 5
  @Option(help: "Write the results as JSON.") var json: String?
  @Option(help: "Where the stores are made.") var folder: String?

  func run() async throws {
    keepHeap()
    let phases = phase.isEmpty ? Phase.allCases : phase.flatMap(Phase.named)
    guard !phases.isEmpty else { throw ValidationError("there is no such phase: \(phase)") }
    let folder = URL(fileURLWithPath: folder ?? NSTemporaryDirectory())
      .appendingPathComponent("grdb-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let workload = Workload(books: n)
    let measurements = try await Rounds(
      workload: workload, limit: LimitPath(workload: workload),
      contestants: [GRDBPath(workload: workload)], rounds: rounds, folder: folder
    ).run(phases)
    if let json { try Results.write(measurements, to: json) } else { ResultTable(measurements).print() }
  }
}
