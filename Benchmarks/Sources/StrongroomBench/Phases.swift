import ArgumentParser
import BenchKit
import Foundation

/// Measures the library workload, phase by phase, against hand-written C on the same library.
struct Phases: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The library workload, phase by phase, as ratios to the C loop.")

  @Option(help: "Books in the library.") var n = 100_000
  @Option(help: "A phase, P1 to P14 or R1 to R4; may be given more than once.") var phase: [String] = []
  @Option(help: "managed, bulk, columns, typed, records or floor; may be given more than once.") var path:
    [String] =
      []
  @Option(help: "Pairs of runs per phase.") var rounds = 5
  @Option(help: "Write the results as JSON.") var json: String?
  @Option(help: "Draw the ratios as SVG.") var svg: String?
  @Option(help: "Results to compare with.") var compare: String?
  @Option(help: "Results of other programs to show along.") var with: [String] = []
  @Option(help: "Where the stores are made.") var folder: String?
  @Flag(help: "Keep the stores, and take those that an earlier run kept.") var keep = false
  @Flag(help: "Give freed memory back to the system between runs.") var freshHeap = false
  @Flag(help: "Check checksums and statement counts only: fail when a count is over what it was.") var check =
    false

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
    let contestants: [any Contestant] = [
      ManagedPath(workload: workload, model: model), BulkPath(workload: workload, model: model),
      ColumnsPath(workload: workload, model: model), TypedPath(workload: workload),
      RecordsPath(workload: workload), FloorPath(workload: workload),
    ]
    let rounds = Rounds(
      workload: workload, limit: LimitPath(workload: workload),
      contestants: contestants.filter { path.isEmpty || path.contains($0.name) }, rounds: rounds,
      folder: folder)
    var measurements = try await rounds.run(phases)
    for path in with { measurements += try Results.read(path) }
    ResultTable(measurements, before: try compare.map(Results.read) ?? []).print()
    if let json { try Results.write(measurements, to: json) }
    if let svg { try ResultChart(measurements).svg.write(toFile: svg, atomically: true, encoding: .utf8) }
    if check { try StatementLimits(workload).check(measurements) }
  }
}
