/// One word of format text and the column it begins at.
struct FormatToken: Equatable {
  enum Kind: Equatable {
    case word(String)  // names and keywords; names may hold dots, and those of functions colons
    case name(String)  // a name that is no keyword, #first, or no word, #"a name"
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

/// Cuts format text into words, by Unicode scalars: a mark behind a quote does not hide the quote.
struct FormatLexer {
  private let text: [Unicode.Scalar]
  private var place = 0
  private static let symbols = [
    "==", "!=", "<>", "<=", ">=", "=>", "=<", "&&", "||", "**", "=", "<", ">", "!", "(", ")", "{", "}",
    ",", "[", "]", "-", "+", "*", "/", ".",
  ].map { (text: $0, scalars: Array($0.unicodeScalars)) }

  init(_ text: String) { self.text = Array(text.unicodeScalars) }

  mutating func tokens() throws(QueryError) -> [FormatToken] {
    var result: [FormatToken] = []
    while true {
      while place < text.count, text[place].properties.isWhitespace { place += 1 }
      let column = place + 1
      guard place < text.count else {
        result.append(FormatToken(kind: .end, column: column))
        return result
      }
      result.append(FormatToken(kind: try next(), column: column))
    }
  }

  private mutating func next() throws(QueryError) -> FormatToken.Kind {
    let scalar = text[place]
    if scalar == "\"" || scalar == "'" { return .text(try quoted(scalar)) }
    if isDigit(place) || scalar == "." && isDigit(place + 1) { return try number() }
    switch scalar {
    case "$":
      place += 1
      return .variable(try word())
    case "#":
      place += 1
      if place < text.count, text[place] == "\"" || text[place] == "'" {
        return .name(try quoted(text[place]))
      }
      return .name(try word())
    case "%": return try argument()
    default: break
    }
    if isLetter(scalar) || scalar == "_" || scalar == "@" { return .word(try word()) }
    for symbol in Self.symbols where text[place...].starts(with: symbol.scalars) {
      place += symbol.scalars.count
      return .symbol(symbol.text)
    }
    throw QueryError(.syntax, "this character means nothing here", column: place + 1)
  }

  private mutating func argument() throws(QueryError) -> FormatToken.Kind {
    place += 1
    guard place < text.count else { throw QueryError(.syntax, "a lone % at the end", column: place) }
    place += 1
    if text[place - 1] == "K" { return .keyArgument }
    if text[place - 1] == "@" { return .argument }
    // The letters of C's number formats all stand for the next argument.
    place -= 1
    while place < text.count, "lhqzdiufgxX".unicodeScalars.contains(text[place]) { place += 1 }
    if text[place - 1] == "%" {
      throw QueryError(.syntax, "% must be followed by @, K or a number format", column: place)
    }
    return .argument
  }

  private mutating func word() throws(QueryError) -> String {
    let start = place
    while place < text.count, isInWord(place) || text[place] == ":" && isFunctionName(start) { place += 1 }
    // What follows a dot may be no word: author.%K
    while place > start, text[place - 1] == "." { place -= 1 }
    for dot in start..<place where text[dot] == "." && (dot == start || text[dot - 1] == ".") {
      throw QueryError(.syntax, "a name is missing before this dot", column: dot + 1)
    }
    return string(start..<place)
  }

  private func string(_ range: Range<Int>) -> String {
    String(String.UnicodeScalarView(text[range]))
  }

  private func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic }

  private func isInWord(_ place: Int) -> Bool {
    let scalar = text[place]
    return isLetter(scalar) || scalar.properties.numericType != nil || "_.@".unicodeScalars.contains(scalar)
      || scalar.properties.generalCategory == .nonspacingMark
  }

  private func isDigit(_ place: Int) -> Bool {
    place < text.count && text[place].value >= 0x30 && text[place].value <= 0x39
  }

  /// Whether the words and colons from here end at a parenthesis: `modulus:by:(`.
  private func isFunctionName(_ start: Int) -> Bool {
    var end = place
    while end < text.count, end - start < 64, text[end] == ":" || isInWord(end) { end += 1 }
    return end < text.count && text[end] == "(" && text[end - 1] == ":"
  }

  private mutating func quoted(_ quote: Unicode.Scalar) throws(QueryError) -> String {
    let start = place + 1
    place += 1
    var result = String.UnicodeScalarView()
    while place < text.count, text[place] != quote {
      if text[place] == "\\", place + 1 < text.count {
        place += 1
        result.append(escaped())
      } else {
        result.append(text[place])
      }
      place += 1
    }
    guard place < text.count else { throw QueryError(.syntax, "the text is not closed", column: start) }
    place += 1
    return String(result)
  }

  /// What stands behind a backslash; signs without a meaning there stand for themselves.
  private mutating func escaped() -> Unicode.Scalar {
    switch text[place] {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "u", "U", "x":
      let count = text[place] == "x" ? 2 : text[place] == "u" ? 4 : 8
      guard let number = hexadecimal(place + 1, count) else { return text[place] }
      if let scalar = Unicode.Scalar(number) {
        place += count
        return scalar
      }
      // Two halves of UTF-16.
      guard number & 0xFC00 == 0xD800, place + 6 < text.count, text[place + 5] == "\\",
        text[place + 6] == "u",
        let low = hexadecimal(place + 7, 4), low & 0xFC00 == 0xDC00,
        let scalar = Unicode.Scalar(0x10000 + (number & 0x3FF) << 10 + (low & 0x3FF))
      else { return text[place] }
      place += 10
      return scalar
    default: return text[place]
    }
  }

  private func hexadecimal(_ start: Int, _ count: Int) -> UInt32? {
    guard start + count <= text.count,
      text[start..<(start + count)].allSatisfy({ $0.properties.isASCIIHexDigit })
    else { return nil }
    return UInt32(string(start..<(start + count)), radix: 16)
  }

  private mutating func number() throws(QueryError) -> FormatToken.Kind {
    let start = place
    while place < text.count, isInWord(place), text[place] != "@" { place += 1 }
    if place < text.count, text[place] == "+" || text[place] == "-",
      "eE".unicodeScalars.contains(text[place - 1]),
      !string(start..<place).hasPrefix("0x")
    {
      place += 1
      while isDigit(place) { place += 1 }
    }
    let digits = string(start..<place).replacing("_", with: "")
    if let integer = Int64(digits) { return .integer(integer) }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where digits.hasPrefix(prefix) {
      if let integer = Int64(digits.dropFirst(2), radix: radix) { return .integer(integer) }
    }
    if let double = Double(digits) { return .double(double) }
    throw QueryError(.syntax, "this is no number", column: start + 1)
  }
}
