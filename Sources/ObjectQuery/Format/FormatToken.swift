/// One word of format text and the column it begins at.
struct FormatToken: Equatable {
  enum Kind: Equatable {
    case word(String)  // names and keywords; names may hold dots
    case text(String)
    case integer(Int64)
    case double(Double)
    case symbol(String)
    case variable(String)
    case argument  // %@
    case keyArgument  // %K
    case end
  }

  let kind: Kind
  let column: Int
}

/// Cuts format text into words.
struct FormatLexer {
  private let text: [Character]
  private var place = 0
  private static let symbols = [
    "==", "!=", "<>", "<=", ">=", "=>", "=<", "&&", "||", "=", "<", ">", "!", "(", ")", "{", "}", ",", "[",
    "]", "-",
  ]

  init(_ text: String) { self.text = Array(text) }

  mutating func tokens() throws(QueryError) -> [FormatToken] {
    var result: [FormatToken] = []
    while true {
      while place < text.count, text[place].isWhitespace { place += 1 }
      let column = place + 1
      guard place < text.count else {
        result.append(FormatToken(kind: .end, column: column))
        return result
      }
      result.append(FormatToken(kind: try next(), column: column))
    }
  }

  private mutating func next() throws(QueryError) -> FormatToken.Kind {
    let character = text[place]
    if character == "\"" || character == "'" { return .text(try quoted(character)) }
    if character.isNumber { return try number() }
    if character == "$" {
      place += 1
      return .variable(word())
    }
    if character == "%" {
      place += 1
      guard place < text.count else { throw QueryError(.syntax, "a lone % at the end", column: place) }
      place += 1
      if text[place - 1] == "K" { return .keyArgument }
      // The letters of C's number formats all stand for the next argument.
      if text[place - 1] == "@" { return .argument }
      place -= 1
      while place < text.count, "lhqzdiufgxX".contains(text[place]) { place += 1 }
      if text[place - 1] == "%" {
        throw QueryError(.syntax, "% must be followed by @, K or a number format", column: place)
      }
      return .argument
    }
    if character == "#" {
      place += 1
      return .text(word())
    }
    if character.isLetter || character == "_" || character == "@" { return .word(word()) }
    for symbol in Self.symbols where text[place...].starts(with: Array(symbol)) {
      place += symbol.count
      return .symbol(symbol)
    }
    throw QueryError(.syntax, "this character means nothing here", column: place + 1)
  }

  private mutating func word() -> String {
    let start = place
    while place < text.count, text[place].isLetter || text[place].isNumber || "_.@".contains(text[place]) {
      place += 1
    }
    return String(text[start..<place])
  }

  private mutating func quoted(_ quote: Character) throws(QueryError) -> String {
    let start = place + 1
    place += 1
    var result = ""
    while place < text.count, text[place] != quote {
      if text[place] == "\\", place + 1 < text.count {
        place += 1
        result.append(text[place] == "n" ? "\n" : text[place] == "t" ? "\t" : text[place])
      } else {
        result.append(text[place])
      }
      place += 1
    }
    guard place < text.count else { throw QueryError(.syntax, "the text is not closed", column: start) }
    place += 1
    return result
  }

  private mutating func number() throws(QueryError) -> FormatToken.Kind {
    let start = place
    while place < text.count, text[place].isNumber || text[place].isLetter || text[place] == "." {
      place += 1
    }
    if place < text.count, "+-".contains(text[place]), "eE".contains(text[place - 1]) {
      place += 1
      while place < text.count, text[place].isNumber { place += 1 }
    }
    let digits = String(text[start..<place])
    if let integer = Int64(digits) { return .integer(integer) }
    if digits.hasPrefix("0x"), let integer = Int64(digits.dropFirst(2), radix: 16) {
      return .integer(integer)
    }
    if let double = Double(digits) { return .double(double) }
    throw QueryError(.syntax, "this is no number", column: start + 1)
  }
}
