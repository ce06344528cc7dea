/// Names as models have them, from names of tables and columns.
enum SourceNames {
  /// The name of an entity: `book_authors` is `BookAuthor`.
  static func entity(_ table: String) -> String {
    var words = words(table)
    if let last = words.last { words[words.count - 1] = singular(last) }
    let name = words.map(capitalized).joined()
    return start(name.isEmpty ? "Table" : name, "T")
  }

  /// The name of a property: `first_name` is `firstName`.
  static func property(_ column: String) -> String {
    let words = words(column)
    guard let first = words.first else { return "column" }
    return start(decapitalized(first) + words.dropFirst().map(capitalized).joined(), "c")
  }

  /// The name of a to-one: `author_id` is `author`.
  static func toOne(_ column: String) -> String {
    var words = words(column)
    if words.count > 1, let last = words.last?.lowercased(),
      ["id", "fk", "ref", "key", "uuid"].contains(last)
    {
      words.removeLast()
    } else if words.count == 1, let only = words.first, only.count > 2,
      only.hasSuffix("ID") || only.hasSuffix("Id")
    {
      words[0] = String(only.dropLast(2))
    }
    return property(words.joined(separator: "_"))
  }

  /// The plural of an entity's name as a property.
  static func plural(_ entity: String) -> String {
    let name = decapitalized(entity)
    if name.hasSuffix("y"), let before = name.dropLast().last, !"aeiou".contains(before) {
      return name.dropLast() + "ies"
    }
    let isHissing = ["s", "x", "ch", "sh"].contains { name.hasSuffix($0) }
    return name + (isHissing ? "es" : "s")
  }

  /// A name that is not taken, which is then.
  static func unique(_ name: String, _ taken: inout Set<String>) -> String {
    var candidate = name
    var number = 2
    while !taken.insert(candidate.lowercased()).inserted {
      candidate = "\(name)\(number)"
      number += 1
    }
    return candidate
  }

  static func capitalized(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

  /// `CustomerName` is `customerName`, `ISBN` is `isbn`.
  static func decapitalized(_ word: String) -> String {
    if word == word.uppercased() { return word.lowercased() }
    return word.prefix(1).lowercased() + word.dropFirst()
  }

  /// The parts of a name between characters that are neither letters nor digits.
  private static func words(_ name: String) -> [String] {
    let parts = name.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    // A name in capitals only is one that does not distinguish them.
    return parts.count > 1 && name == name.uppercased() ? parts.map { $0.lowercased() } : parts
  }

  private static func start(_ name: String, _ prefix: String) -> String {
    name.first?.isLetter == true ? name : prefix + name
  }

  private static let alike: Set<String> = ["series", "species", "data", "media", "status"]

  private static func singular(_ word: String) -> String {
    let lower = word.lowercased()
    if alike.contains(lower) || ["ss", "us", "is"].contains(where: { lower.hasSuffix($0) }) { return word }
    if lower.hasSuffix("ies"), lower.count > 4 { return word.dropLast(3) + "y" }
    if ["sses", "xes", "ches", "shes"].contains(where: { lower.hasSuffix($0) }) {
      return String(word.dropLast(2))
    }
    return lower.hasSuffix("s") && lower.count > 2 ? String(word.dropLast()) : word
  }
}
