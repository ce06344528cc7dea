/// SQL text without the values in it.
enum SQLRedaction {
  /// The statement on one line, with each text and blob literal as `?` with its type and size.
  ///
  /// Numbers stay: the store writes none of the program's into SQL, it binds them.
  static func redacted(_ sql: String) -> String {
    var tokenizer = SQLTokenizer(sql)
    var result: [UInt8] = []
    while let byte = tokenizer.peek {
      if let literal = tokenizer.quotedLiteral() {
        result += Array("?\(literal)".utf8)
      } else if let name = tokenizer.quotedName() {
        result += name
      } else {
        tokenizer.advance()
        let isBlank = byte == UInt8(ascii: "\n") || byte == UInt8(ascii: " ")
        if isBlank, result.last == UInt8(ascii: " ") { continue }
        result.append(isBlank ? UInt8(ascii: " ") : byte)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The type and size of each parameter, as `?1 text(5)`.
  /// - Parameters:
  ///   - sql: The statement as it was prepared.
  ///   - expanded: The same with values in place of its parameters, as SQLite writes them.
  /// - Returns: None from where on the two differ in something else.
  static func bindings(_ sql: String, expanded: String) -> [String] {
    var tokenizer = SQLTokenizer(sql)
    var values = SQLTokenizer(expanded)
    var result: [String] = []
    var seen: Set<Int> = []
    var last = 0
    while let byte = tokenizer.peek {
      if let name = tokenizer.quotedName() ?? tokenizer.quotedLiteralText() {
        guard values.skip(name) else { return result }
      } else if byte == UInt8(ascii: "?") {
        tokenizer.advance()
        // One without a number is the one after the last.
        let number = Int(String(decoding: tokenizer.digits(), as: UTF8.self)) ?? last + 1
        last = max(last, number)
        guard let type = values.literal() else { return result }
        if seen.insert(number).inserted { result.append("?\(number) \(type)") }
      } else {
        tokenizer.advance()
        guard values.skip([byte]) else { return result }
      }
    }
    return result
  }
}
