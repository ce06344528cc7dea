import ArgumentParser
import BenchKit
import Foundation

/// Measures the library workload against hand-written C on the same library.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "strongroom-bench", abstract: "Measures the library workload against the bare C loop.")

  @Option(help: "Books in the library.") var n = 100_000
  @Option(help: "A phase, P1 to P14; may be given more than once.") var phase: [String] = []
  @Option(help: "Pairs of runs per phase.") var rounds = 5
  @Option(help: "Write the results as JSON.") var json: String?
  @Option(help: "Results to compare with.") var compare: String?
  @Option(help: "Where the stores are made.") var folder: String?
  @Flag(help: "Keep the stores, and take those that an earlier run kept.") var keep = false

  @Flag(help: "Give freed memory back to the system between runs.") var freshHeap = false

  func run() async throws {
    if !freshHeap { keepHeap() }
    let phases = phase.isEmpty ? Phase.allCases : phase.flatMap(Phase.named)
    guard !phases.isEmpty else { throw ValidationError("there is no such phase: \(phase)") }
    let folder = URL(fileURLWithPath: folder ?? NSTemporaryDirectory())
      .appendingPathComponent(keep ? "strongroom-bench-\(n)" : "strongroom-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { if !keep { try? FileManager.default.removeItem(at: folder) } }
    let workload = Workload(books: n)
    let model = try libraryModel()
    let rounds = Rounds(
      workload: workload, limit: LimitPath(workload: workload),
      contestants: [
        ManagedPath(workload: workload, model: model), BulkPath(workload: workload, model: model),
        ColumnsPath(workload: workload, model: model),
      ], rounds: rounds, folder: folder)
    let measurements = try await rounds.run(phases)
    ResultTable(measurements, before: try compare.map(Results.read) ?? []).print()
    if let json { try Results.write(measurements, to: json) }
  }
}
