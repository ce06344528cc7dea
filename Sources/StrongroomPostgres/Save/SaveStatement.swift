import Locks

/// The statements of a save that are sent as one with the row of its history: the server starts, and answers,
/// each for itself, which takes it as long as what a small one does.
///
/// None of them sees what another writes.
struct SaveStatement {
  /// Each has its parameters numbered from 1.
  private var parts: [String] = []
  /// Those of the parts, each followed by how many rows it is to return.
  private(set) var parameters = ServerValues()
  /// How many parameters each part has.
  private var counts: [Int] = []

  /// The beginning of the statement, and the condition by which the server ends the transaction where a part
  /// returns another number of rows than expected.
  struct Text {
    /// The parts with names.
    let parts: String
    /// It is true, or division by zero; the parts are executed in their order when it is looked at.
    let condition: String
  }

  /// Adds a statement that is expected to return so many rows.
  mutating func add(_ sql: String, _ own: ServerValues, expecting rows: Int) {
    parts.append(sql)
    counts.append(own.count)
    parameters.append(contentsOf: own)
    parameters.append(Int64(rows))
  }

  /// The whole statement in SQL.
  ///
  /// - Parameters:
  ///   - first: How many parameters come before.
  ///   - body: Makes it of what is added; the same for the same `first`.
  /// - Returns: What `body` makes, or made before of the same.
  func sql(after first: Int, _ body: (Text?) -> String) -> String {
    Self.known.withLock { known in
      let key = Key(parts: parts, first: first)
      if let known = known[key] { return known }
      let new = body(parts.isEmpty ? nil : composed(after: first))
      if known.count == Self.mostKnown { known = [:] }
      known[key] = new
      return new
    }
  }

  private struct Key: Hashable {
    let parts: [String]
    let first: Int
  }

  private static let mostKnown = 500
  private static let known = Locked<[Key: String]>([:])

  private func composed(after first: Int) -> Text {
    var number = first
    var (named, conditions): ([String], [String]) = ([], [])
    for (place, (part, count)) in zip(parts, counts).enumerated() {
      named.append("part\(place) AS (\(Self.renumbered(part, by: number)))")
      number += count + 1
      conditions.append("(SELECT pg_catalog.count(*) FROM part\(place)) = $\(number)")
    }
    return Text(
      parts: named.joined(separator: ", "),
      condition: "1 / (\(conditions.joined(separator: " AND ")))::int = 1")
  }

  /// Adds to the number of each parameter; what is in quotes is a name or a text.
  static func renumbered(_ sql: String, by offset: Int) -> String {
    var (result, digits): (String, String?) = ("", nil)
    var quote: Character?
    func end() {
      if let number = digits.flatMap({ Int($0) }) { result += String(number + offset) }
      digits = nil
    }
    for character in sql {
      if digits != nil, character.isASCII, character.isNumber {
        digits?.append(character)
        continue
      }
      end()
      result.append(character)
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character == "$" {
        digits = ""
      }
    }
    end()
    return result
  }
}
