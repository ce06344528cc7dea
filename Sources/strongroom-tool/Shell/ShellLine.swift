import ArgumentParser
import Foundation

/// One parsed line of the shell: `Book | where pages > 300 | sort -pages | limit 5`.
struct ShellLine {
  /// The stages that may follow a bar, and what each does.
  static let stages: [(name: String, help: String)] = [
    ("where", "the condition, in Core Data's predicate format"),
    ("search", "words for a full-text index; the best matches come first"),
    ("sort", "key paths, separated by commas; - before one sorts it in descending order"),
    ("limit", "the greatest number of rows"), ("offset", "how many rows to skip first"),
    ("columns", "what to print, separated by commas: title, author.name, books.@count, pages * 2"),
    ("group", "key paths to group by"),
    ("aggregates", "count, sum:pages, average:pages, min:…, max:…, median:…"),
    ("having", "the condition that a group must meet: sum(pages) > 1000"),
    ("distinct", "print equal rows once"),
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

  /// Bounds the number of rows.
  mutating func limit(to count: Int) { query.limit = count }

  private mutating func add(_ stage: String, _ rest: String) throws {
    func text() throws -> String {
      if rest.isEmpty { throw ValidationError("\(stage) needs an argument; .help lists the stages") }
      return rest
    }
    func number() throws -> Int {
      guard let number = Int(rest), number >= 0 else {
        throw ValidationError("\(stage) takes a whole number, 0 or more")
      }
      return number
    }
    func format() throws -> OutputFormat {
      guard let format = OutputFormat(rawValue: rest) else {
        throw ValidationError("as takes table, json or csv")
      }
      return format
    }
    if let clause = Self.clauses[stage] { return query[keyPath: clause] = try text() }
    switch stage {
    case "where": query.condition = try query.condition.map { "(\($0)) AND (\(try text()))" } ?? text()
    case "limit": query.limit = try number()
    case "offset": query.offset = try number()
    case "group": query.groupBy = rest.hasPrefix("by ") ? String(rest.dropFirst(3)) : try text()
    case "distinct": query.isDistinct = true
    case "count": query.isCounted = true
    case "explain": query.isExplained = true
    case "as": query.format = try format()
    default:
      throw ValidationError(
        "\(stage) is not a stage; there are \(Self.stages.map(\.name).joined(separator: ", "))")
    }
  }

  /// Splits a line at single bars outside quotes.
  static func parts(_ text: String) -> [String] {
    var parts: [String.UnicodeScalarView] = [.init()]
    var quote: Unicode.Scalar?
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      if scalar == "\"" || scalar == "'" { quote = quote == nil ? scalar : quote == scalar ? nil : quote }
      let isDouble =
        index + 1 < scalars.count && scalars[index + 1] == "|" || index > 0 && scalars[index - 1] == "|"
      if scalar == "|", quote == nil, !isDouble {
        parts.append(.init())
      } else {
        parts[parts.count - 1].append(scalar)
      }
    }
    return parts.map { String($0).trimmingCharacters(in: .whitespaces) }
  }
}
