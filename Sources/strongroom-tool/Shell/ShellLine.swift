import ArgumentParser
import Foundation

/// One line of the shell, read: `Book | where pages > 300 | sort -pages | limit 5`.
struct ShellLine {
  /// What may stand behind a bar, and what each does.
  static let stages: [(name: String, help: String)] = [
    ("where", "the condition, as Core Data writes it"),
    ("search", "words for an index of words; the best finds come first"),
    ("sort", "key paths with commas; - before one sorts it downwards"),
    ("limit", "the greatest number of rows"), ("offset", "how many rows to leave out first"),
    ("columns", "what to print, with commas: title, author.name, books.@count, pages * 2"),
    ("group", "key paths that make groups"),
    ("aggregates", "count, sum:pages, average:pages, min:…, max:…, median:…"),
    ("having", "the condition that a group must meet: sum(pages) > 1000"), ("distinct", "equal rows once"),
    ("count", "the number of objects only"), ("explain", "the SQL, its plan and the indexes that would help"),
    ("as", "table, json or csv"),
  ]

  /// Stages that take the text behind them as it is.
  private static var clauses: [String: WritableKeyPath<StoreQuery, String?>] {
    [
      "search": \.search, "sort": \.sort, "columns": \.columns, "aggregates": \.aggregates,
      "having": \.having,
    ]
  }

  let entity: String
  private(set) var query = StoreQuery()

  /// - Throws: `ValidationError` that names the part which is wrong.
  init(_ text: String, format: OutputFormat) throws {
    let parts = Self.parts(text)
    entity = parts[0]
    query.format = format
    for part in parts.dropFirst() {
      let word = String(part.prefix { !$0.isWhitespace })
      let rest = part.dropFirst(word.count).trimmingCharacters(in: .whitespaces)
      try add(word.lowercased(), rest)
    }
  }

  private mutating func add(_ stage: String, _ rest: String) throws {
    func text() throws -> String {
      if rest.isEmpty { throw ValidationError("\(stage) needs something behind it; .help tells what") }
      return rest
    }
    func number() throws -> Int {
      guard let number = Int(rest), number >= 0 else {
        throw ValidationError("\(stage) takes a number from 0")
      }
      return number
    }
    if let clause = Self.clauses[stage] { return query[keyPath: clause] = try text() }
    switch stage {
    case "where": query.condition = try query.condition.map { "(\($0)) AND (\(try text()))" } ?? text()
    case "limit": query.limit = try number()
    case "offset": query.offset = try number()
    case "group": query.groupBy = rest.hasPrefix("by ") ? String(rest.dropFirst(3)) : try text()
    case "distinct": query.isDistinct = true
    case "count": query.answer = .count
    case "explain": query.answer = .explanation
    case "as":
      guard let format = OutputFormat(rawValue: rest) else {
        throw ValidationError("as takes table, json or csv")
      }
      query.format = format
    default:
      throw ValidationError(
        "\(stage) means nothing here; there are \(Self.stages.map(\.name).joined(separator: ", "))")
    }
  }

  /// Cut at single bars outside of quotes.
  static func parts(_ text: String) -> [String] {
    var parts: [String.UnicodeScalarView] = [.init()]
    var quote: Unicode.Scalar?
    let scalars = Array(text.unicodeScalars)
    for (place, scalar) in scalars.enumerated() {
      if scalar == "\"" || scalar == "'" { quote = quote == nil ? scalar : quote == scalar ? nil : quote }
      let isDouble =
        place + 1 < scalars.count && scalars[place + 1] == "|" || place > 0 && scalars[place - 1] == "|"
      if scalar == "|", quote == nil, !isDouble {
        parts.append(.init())
      } else {
        parts[parts.count - 1].append(scalar)
      }
    }
    return parts.map { String($0).trimmingCharacters(in: .whitespaces) }
  }
}
