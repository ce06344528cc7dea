import ArgumentParser
import BenchKit
import Foundation
import TextTable

/// Measures what programs do that is no phase of the library, beside the bare library's calls.
struct Loads: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Words, long values, imports, migrations, a small cache, a program's start, live results, a history.")

  private static let all: [(name: String, load: any Load)] = [
    ("words", WordsLoad()), ("pieces", PiecesLoad()), ("import", ImportLoad()),
    ("migration", MigrationLoad()), ("cache", CacheLoad()), ("start", StartLoad()), ("live", LiveLoad()),
    ("history", HistoryLoad()),
  ]

  @Option(
    help: "words, pieces, import, migration, cache, start, live or history; may be given more than once.")
  var only: [String] = []
  @Option(help: "Pairs of runs.") var rounds = 3
  @Option(help: "Where the stores are made.") var folder: String?

  private struct Row {
    let what: String
    var runs: [LoadRun]

    var ratio: Double { runs.map { $0.own / $0.bare }.median }
    var gate: Double { runs[0].gate }
  }

  func run() async throws {
    keepHeap()
    let loads = Self.all.filter { only.isEmpty || only.contains($0.name) }
    guard !loads.isEmpty else { throw ValidationError("there is no such load: \(only)") }
    var rows: [Row] = []
    for (_, load) in loads {
      for _ in 0..<max(rounds, 1) {
        let place = URL(fileURLWithPath: folder ?? NSTemporaryDirectory())
          .appendingPathComponent("strongroom-loads-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        for run in try await load.measure(in: place) {
          if let index = rows.firstIndex(where: { $0.what == run.what }) {
            rows[index].runs.append(run)
          } else {
            rows.append(Row(what: run.what, runs: [run]))
          }
        }
      }
    }
    TextTable<Row> { row in
      let ratio = row.ratio
      return [
        Column(title: "load", value: row.what),
        Column(title: "bare", value: Self.text(row.runs.map(\.bare).median), align: .right),
        Column(title: "own", value: Self.text(row.runs.map(\.own).median), align: .right),
        Column(title: "", value: row.runs[0].unit),
        Column(title: "ratio", value: ratio.isFinite ? Self.text(ratio) : "", align: .right),
        Column(title: "gate", value: row.gate.isFinite ? Self.text(row.gate) : "", align: .right),
        Column(title: "", value: ratio.isFinite && ratio > row.gate ? "over" : ""),
      ]
    }.print(rows, style: Style.psql)
  }

  private static func text(_ number: Double) -> String { String(format: "%.3g", number) }
}
