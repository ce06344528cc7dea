import ArgumentParser
import BenchKit
import Foundation

/// Writes the measured part of the results' page.
struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Puts results into the page between its two marks.")

  @Argument(help: "The JSON files of one run or two, the first one shown whole.") var results: [String]
  @Option(help: "The page.") var into: String
  @Option(help: "The commit that was measured.") var commit: String
  @Option(help: "The machine, the system, the library and the compiler.") var machine: String
  @Option(help: "Pairs of runs per phase.") var rounds: Int

  private static let begin = "<!-- measured: begin -->"
  private static let end = "<!-- measured: end -->"

  func run() throws {
    let runs = try results.map(Results.read)
    guard let first = runs.first else { throw ValidationError("name the results of a run") }
    let page = URL(fileURLWithPath: into)
    let text = try String(contentsOf: page, encoding: .utf8)
    guard let begin = text.range(of: Self.begin), let end = text.range(of: Self.end) else {
      throw ValidationError("\(into) has no marks \(Self.begin) and \(Self.end)")
    }
    let table = ReportTable(first, second: runs.dropFirst().first ?? [])
    let day = Date.now.formatted(.iso8601.year().month().day())
    let measured =
      "\n\(day), commit \(commit), \(machine), release builds; \(rounds) rounds.\n\n![ratios](ratios.svg)\n\n"
      + table.markdown + "\n\n" + table.summary + "\n\n"
    let new = text[..<begin.upperBound] + measured + text[end.lowerBound...]
    try Data(new.utf8).write(to: page, options: .atomic)
  }
}
