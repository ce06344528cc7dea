/// The definitions of a table's columns, as `sqlite_master` has them.
struct ColumnDefinitions {
  /// Each whole, as it stands between two commas that are in no quotes.
  let all: [Substring]

  init(_ text: Substring) {
    var all: [Substring] = []
    var quote: Character?
    var start = text.startIndex
    for index in text.indices {
      let character = text[index]
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "\"" || character == "'" {
        quote = character
      } else if character == "," {
        all.append(text[start..<index])
        start = text.index(after: index)
      }
    }
    all.append(text[start...])
    self.all = all.map { $0.first == " " ? $0.dropFirst() : $0 }
  }

  /// Those of a quoted name, a plain type and a literal lose the literal; all others stay as they are,
  /// so that nothing is taken for plain that SQLite computes.
  var withoutDefaults: [Substring] { all.map(Self.withoutDefault) }

  private static func withoutDefault(_ column: Substring) -> Substring {
    guard let name = column.prefixMatch(of: #/"(?:[^"]|"")*" /#) else { return column }
    let words = column[name.range.upperBound...].split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[1] == "DEFAULT", words[0].allSatisfy({ $0.isASCII && $0.isLetter }),
      isLiteral(words[2])
    else { return column }
    return column[..<words[0].endIndex]
  }

  private static func isLiteral(_ text: Substring) -> Bool {
    if text.hasPrefix("'") || text.hasPrefix("X'") {
      let inner = text.drop { $0 == "X" }.dropFirst().dropLast()
      return text.hasSuffix("'") && !inner.replacing("''", with: "").contains("'")
    }
    return !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isNumber || "+-.e".contains($0)) }
  }
}
