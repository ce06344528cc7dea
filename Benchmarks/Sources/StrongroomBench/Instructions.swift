import ArgumentParser
import BenchKit
import Foundation
import TextTable

/// Compares the instructions that callgrind counted with those that the repository accepts.
struct Instructions: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compares counted instructions with accepted ones; Scripts/bench-instructions counts them.")

  @Argument(help: "The folder of callgrind's dumps.") var dumps: String
  @Option(help: "Books in the library that was counted.") var n: Int
  @Option(help: "The file of accepted counts.") var accepted: String
  @Option(help: "How many percent a count may rise.") var bound = 2.0
  @Flag(help: "Write the counts into the file instead.") var accept = false

  private struct Row {
    let phase, path, count, toLimit, accepted, change: String
  }

  private var table: TextTable<Row> {
    TextTable { row in
      [
        Column(title: "phase", value: row.phase), Column(title: "path", value: row.path),
        Column(title: "instructions", value: row.count, align: .right),
        Column(title: "to C", value: row.toLimit, align: .right),
        Column(title: "accepted", value: row.accepted, align: .right),
        Column(title: "change", value: row.change, align: .right),
      ]
    }
  }

  func run() throws {
    let file = URL(fileURLWithPath: accepted)
    let counts = try InstructionCounts(dumps: URL(fileURLWithPath: dumps), Workload(books: n))
    let before = try? InstructionCounts(file: file)
    var rows: [Row] = []
    var risen: [String] = []
    for row in counts.rows {
      let limitName = "\(row.phase.rawValue) limit"
      let limit = counts[limitName].map { Double(row.count) / Double($0) }
      let old = before?[row.name]
      // What the library or the processor changed in the C loop, it changed here too.
      let shift = row.path == "limit" ? 0 : (counts[limitName] ?? 0) - (before?[limitName] ?? 0)
      let change = old.map { (Double(row.count - shift) / Double($0) - 1) * 100 }
      if let change, change > bound, row.path != "limit" { risen.append(row.name) }
      rows.append(
        Row(
          phase: row.phase.rawValue, path: row.path, count: "\(row.count)", toLimit: format(limit, "%.2f"),
          accepted: old.map { "\($0)" } ?? "", change: format(change, "%+.1f %%")))
    }
    table.print(rows, style: Style.psql)
    guard !counts.rows.isEmpty else {
      throw Rounds.Failure(
        description: "nothing was counted; install valgrind, and build the benchmark again")
    }
    if accept { return try Data(counts.text.utf8).write(to: file) }
    let (names, known) = (Set(counts.rows.map(\.name)), Set((before?.rows ?? []).map(\.name)))
    guard names == known else {
      throw Rounds.Failure(
        description: "counted and accepted rows differ: "
          + names.symmetricDifference(known).sorted().joined(separator: ", "))
    }
    try refuseOtherMachine(counts, before)
    guard risen.isEmpty else {
      throw Rounds.Failure(
        description: "more than \(bound) % over the accepted counts: \(risen.joined(separator: ", "));"
          + " make it faster again, or run with --accept and give the reason in the commit's message")
    }
  }

  /// How many percent the C loop's own counts may differ before the others cannot be compared.
  private static let mostShift = 20.0

  /// The C loop has the same instructions as ever, unless the library or the processor is another.
  private func refuseOtherMachine(_ counts: InstructionCounts, _ before: InstructionCounts?) throws {
    for row in counts.rows where row.path == "limit" {
      guard let old = before?[row.name] else { continue }
      if abs(Double(row.count) / Double(old) - 1) * 100 > Self.mostShift {
        throw Rounds.Failure(
          description: "the C loop's own count of \(row.phase.rawValue) is \(row.count), accepted is \(old):"
            + " another library or processor, whose counts cannot be compared")
      }
    }
  }

  private func format(_ value: Double?, _ format: String) -> String {
    value.map { String(format: format, $0) } ?? ""
  }
}
