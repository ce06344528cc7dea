import Foundation

/// Results as a table for the results' page: a row a phase and path, with its goal.
package struct ReportTable {
  private let first: [Measurement]
  private let second: [String: Measurement]
  private let goals: Goals
  private static let paths = ["managed", "typed", "records", "bulk", "columns"]

  package init(_ first: [Measurement], second: [Measurement]) {
    self.first = first
    self.second = Dictionary(second.map { ("\($0.phase) \($0.path)", $0) }) { first, _ in first }
    goals = Goals(first)
  }

  private func ratio(_ phase: String, _ path: String) -> String {
    first.first { $0.phase == phase && $0.path == path }.map { text($0.ratio) } ?? ""
  }

  /// Three digits, or all of a whole number.
  private func microseconds(_ number: Double) -> String {
    String(format: number >= 1000 ? "%.0f" : "%.3g", number)
  }

  private func text(_ number: Double) -> String { String(format: "%.2f", number) }

  /// Whether a run of the row is at its goal within its spread.
  private func isReached(_ row: Measurement) -> Bool? {
    guard let goal = goals.ratio(row.phase, row.path) else { return nil }
    let runs = [row, second["\(row.phase) \(row.path)"]].compactMap { $0 }
    return runs.allSatisfy { $0.ratio - $0.spread / 2 <= goal }
  }

  package var markdown: String {
    var lines = [
      "| phase | path | C, us | ratio | spread | again | goal | | gate | floor | GRDB | bytes |",
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for phase in Phase.allCases {
      for path in Self.paths {
        guard let row = first.first(where: { $0.phase == phase.rawValue && $0.path == path }) else {
          continue
        }
        lines.append("| " + cells(row, phase).joined(separator: " | ") + " |")
      }
    }
    return lines.joined(separator: "\n")
  }

  private func cells(_ row: Measurement, _ phase: Phase) -> [String] {
    var cells = ["\(row.phase) \(phase.title)", row.path, microseconds(row.limitMicroseconds)]
    cells += [text(row.ratio), text(row.spread)]
    cells.append(second["\(row.phase) \(row.path)"].map { text($0.ratio) } ?? "")
    cells.append(goals.ratio(row.phase, row.path).map(text) ?? "")
    cells.append(isReached(row).map { $0 ? "reached" : "over" } ?? "")
    cells.append(Gates.gate(row.phase, row.path).map(text) ?? "")
    let hasFloor = row.path == "managed" || row.path == "records"
    cells.append(hasFloor ? ratio(row.phase, "floor") : "")
    cells.append(ratio(row.phase, "grdb"))
    cells.append(row.bytesPerObject.map { String(format: "%.0f", $0) } ?? "")
    return cells
  }

  /// How many rows are at their goals, and over their gates.
  package var summary: String {
    let judged = first.compactMap(isReached)
    let over = first.filter { row in Gates.gate(row.phase, row.path).map { row.ratio > $0 } ?? false }
    let names = over.map { "\($0.phase) \($0.path)" }.joined(separator: ", ")
    return
      "\(judged.filter { $0 }.count) of \(judged.count) rows are at their goals within half their spread; "
      + (over.isEmpty ? "none is over its gate." : "over their gates: \(names).")
  }
}
