/// Reads SQL text from left to right, as far as literals and quoted names need it.
struct SQLTokenizer {
  private let bytes: [UInt8]
  private var position = 0

  init(_ sql: String) { bytes = Array(sql.utf8) }

  var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private var next: UInt8? { position + 1 < bytes.count ? bytes[position + 1] : nil }

  mutating func advance() { position += 1 }

  /// Moves past bytes that come next; false where others do.
  mutating func skip(_ expected: [UInt8]) -> Bool {
    guard bytes[position...].starts(with: expected) else { return false }
    position += expected.count
    return true
  }

  mutating func digits() -> [UInt8] {
    let start = position
    while let byte = peek, Self.isDigit(byte) { advance() }
    return Array(bytes[start..<position])
  }

  /// A name in double quotes, quotes included.
  mutating func quotedName() -> [UInt8]? {
    peek == UInt8(ascii: "\"") ? quoted(UInt8(ascii: "\"")) : nil
  }

  /// A text or blob as it is written.
  mutating func quotedLiteralText() -> [UInt8]? {
    let start = position
    guard quotedLiteral() != nil else { return nil }
    return Array(bytes[start..<position])
  }

  /// The type and size of a text or blob.
  mutating func quotedLiteral() -> String? {
    switch peek {
    case UInt8(ascii: "'"):
      let text = quoted(UInt8(ascii: "'"))
      // A quote in a text is written twice.
      let quotes = text.filter { $0 == UInt8(ascii: "'") }.count - 2
      return "text(\(max(text.count - 2 - quotes / 2, 0)))"
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      guard next == UInt8(ascii: "'"), !isInsideName else { return nil }
      advance()
      return "blob(\(max(quoted(UInt8(ascii: "'")).count - 2, 0) / 2))"
    default: return nil
    }
  }

  /// The type and size of a value that SQLite wrote in place of a parameter.
  mutating func literal() -> String? {
    if let quoted = quotedLiteral() { return quoted }
    if skip(Array("NULL".utf8)) { return "null" }
    if skip(Array("zeroblob(".utf8)) {
      let count = String(decoding: digits(), as: UTF8.self)
      return skip([UInt8(ascii: ")")]) ? "blob(\(count))" : nil
    }
    let start = position
    while let byte = peek, Self.isDigit(byte) || "+-.eEInf".utf8.contains(byte) { advance() }
    if start == position { return nil }
    return bytes[start..<position].contains { ".eEI".utf8.contains($0) } ? "real" : "integer"
  }

  private mutating func quoted(_ quote: UInt8) -> [UInt8] {
    let start = position
    advance()
    while let byte = peek {
      advance()
      if byte != quote { continue }
      if peek != quote { break }
      advance()
    }
    return Array(bytes[start..<position])
  }

  /// Whether the byte before belongs to a word, so that an `x` does not begin a blob.
  private var isInsideName: Bool {
    guard position > 0 else { return false }
    let byte = bytes[position - 1]
    return Self.isDigit(byte) || byte == UInt8(ascii: "_")
      || byte | 32 >= UInt8(ascii: "a") && byte | 32 <= UInt8(ascii: "z")
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }
}
