import Foundation
import Strongroom

extension Inspection {
  private static let mostRows = 1000
  private static let longestCell = 200

  struct ShownQueryRow: Encodable {
    /// The number of the row's object; nil for a group.
    var number: Int64?
    let cells: [ShownValue]
  }

  struct QueryAnswer: Encodable {
    let entity: String
    let columns: [String]
    /// The entity whose numbers a column has; nil for values.
    let destinations: [String?]
    let rows: [ShownQueryRow]
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
    var request = try line.query.request(line.entity, model)
    let plan = try? context.queryPlan(for: request)
    let columns = (request.propertiesToFetch ?? []).map(\.name)
    var rows: [ShownQueryRow] = []
    if line.query.isExplained {
      // The plan alone.
    } else if line.query.isCounted {
      rows = [Self.row([Cell(try context.count(for: request))])]
    } else if line.query.isGrouped {
      rows = try context.fetchDictionaries(request).map { row in
        Self.row(columns.map { Cell(row[$0] ?? .null) })
      }
    } else if line.query.isDistinct {
      try StoreQuery.enumerate(request, context) { rows.append(Self.row($0)) }
    } else {
      // The last column leads to the row's object.
      request.propertiesToFetch = (request.propertiesToFetch ?? []) + [ExpressionDescription("", .selfObject)]
      try StoreQuery.enumerate(request, context) { cells in
        rows.append(Self.row(cells.dropLast(), number: cells.last.flatMap { Int64($0.text) }))
      }
    }
    let entity = model.entity(named: line.entity)
    return try Answer(
      json: QueryAnswer(
        entity: line.entity, columns: line.query.isCounted ? ["count"] : columns,
        destinations: columns.map { name in
          entity.flatMap { StoreQuery.relationship(name, $0) }.flatMap {
            $0.isToMany ? nil : $0.destination.name
          }
        }, rows: Array(rows.prefix(most)),
        isCut: rows.count > most, plan: plan, milliseconds: clock.milliseconds))
  }

  private static func row(_ cells: some Sequence<Cell>, number: Int64? = nil) -> ShownQueryRow {
    ShownQueryRow(number: number, cells: cells.map { ShownValue($0, upTo: longestCell) })
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
