import Foundation
import Strongroom

extension Inspection {
  private static let mostRows = 1000
  private static let longestCell = 200

  struct QueryAnswer: Encodable {
    let columns: [String]
    let rows: [[ShownValue]]
    /// Whether there are more rows than are shown.
    let isCut: Bool
    let plan: QueryPlan?
    let milliseconds: Double
  }

  /// Answers a line of the shell: `Book | where pages > 300 | sort -pages`.
  func query(_ call: InspectRequest) throws -> Answer {
    let clock = ContinuousClock.now
    var line = try ShellLine(try call.text("text"), format: .json)
    let most = min(line.query.limit ?? .max, Self.mostRows)
    let isLimited = (line.query.limit ?? .max) > most
    // One more shows whether there are more.
    if isLimited, !line.query.isCounted, !line.query.isGrouped { line.limit(to: most + 1) }
    let context = context
    let request = try line.query.request(line.entity, model)
    let plan = try? context.queryPlan(for: request)
    let columns = (request.propertiesToFetch ?? []).map(\.name)
    var rows: [[ShownValue]] = []
    if line.query.isExplained {
      // The plan alone.
    } else if line.query.isCounted {
      rows = [[ShownValue(Cell(try context.count(for: request)), upTo: Self.longestCell)]]
    } else if line.query.isGrouped {
      rows = try context.fetchDictionaries(request).map { row in
        columns.map { ShownValue(Cell(row[$0] ?? .null), upTo: Self.longestCell) }
      }
    } else {
      try StoreQuery.enumerate(request, context) { cells in
        rows.append(cells.map { ShownValue($0, upTo: Self.longestCell) })
      }
    }
    return try Answer(
      json: QueryAnswer(
        columns: line.query.isCounted ? ["count"] : columns, rows: Array(rows.prefix(most)),
        isCut: rows.count > most, plan: plan, milliseconds: clock.milliseconds))
  }

  /// What the end of a line may go on with, and the beginning of the word that it completes.
  func complete(_ call: InspectRequest) throws -> Answer {
    let line = try call.text("text")
    let breaks = Set(" \t\n|,()=<>!'\"&+*/{}")
    let word = String(line.reversed().prefix { !breaks.contains($0) }.reversed())
    let words = ShellCompletion(model: model).candidates(for: word, after: String(line.dropLast(word.count)))
    return try Answer(json: ["word": [word], "words": Array(words.prefix(50))])
  }
}
