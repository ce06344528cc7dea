import ObjectModel

extension FormatParser {
  mutating func expression() throws(QueryError) -> FetchExpression {
    let start = token
    guard case .value(let value) = try sum() else {
      throw QueryError(.syntax, "a key path or a value is expected here", column: start.column)
    }
    return value
  }

  mutating func sum() throws(QueryError) -> Part {
    try chain([("+", .add), ("-", .subtract)]) { (parser) throws(QueryError) in
      try parser.chain([("*", .multiply), ("/", .divide)]) { (parser) throws(QueryError) in
        try parser.chain([("**", .power)]) { (parser) throws(QueryError) in try parser.sign() }
      }
    }
  }

  private mutating func chain(
    _ signs: [(String, FetchFunction)], _ next: (inout FormatParser) throws(QueryError) -> Part
  ) throws(QueryError) -> Part {
    var result = try next(&self)
    var count = 0
    while let function = signs.first(where: { token.kind == .symbol($0.0) })?.1 {
      guard case .value(let left) = result else { return result }
      place += 1
      count += 1
      // A long chain is a deep tree.
      guard count < Self.greatestDepth else { throw failure("this is nested too deeply") }
      guard case .value(let right) = try next(&self) else { throw failure("a value is expected here") }
      result = .value(.function(function, [left, right]))
    }
    if count > 0 { try check(result) }
    return result
  }

  /// Chains nest though their text does not, and chains in parentheses would nest without end.
  private func check(_ part: Part) throws(QueryError) {
    if case .value(let value) = part, value.nesting(upTo: Self.greatestDepth) >= Self.greatestDepth {
      throw failure("this is nested too deeply")
    }
  }

  private mutating func sign() throws(QueryError) -> Part {
    guard take("-") else { return try steps() }
    let part = try nested { (parser) throws(QueryError) in try parser.sign() }
    switch part {
    case .value(.value(.integer(let integer))) where integer != .min:
      return .value(.value(.integer(0 &- integer)))
    case .value(.value(.double(let double))): return .value(.value(.double(-double)))
    case .value(let value): return .value(.function(.negate, [value]))
    case .condition: throw failure("a value is expected here")
    }
  }

  /// A value and what follows it: `[FIRST]`, `.name`.
  private mutating func steps() throws(QueryError) -> Part {
    let part = try primary()
    guard case .value(var value) = part else { return part }
    var count = 0
    while token.kind == .symbol("[") || token.kind == .symbol(".") {
      count += 1
      guard count < Self.greatestDepth else { throw failure("this is nested too deeply") }
      if take("[") {
        value = try place(in: value)
      } else {
        place += 1
        let word: String
        switch token.kind {
        case .word(let text), .name(let text): word = text
        case .keyArgument:
          guard case .value(.string(let text)) = try argument() else {
            throw failure("%K takes a key path as text")
          }
          word = text
        default: throw failure("a name is expected here")
        }
        let here = token.column
        place += 1
        value = try following(value, word.keyPathNames(), here)
      }
    }
    if count > 0 { try check(.value(value)) }
    return .value(value)
  }

  private mutating func place(in collection: FetchExpression) throws(QueryError) -> FetchExpression {
    let here = token
    if here.kind == .end { throw failure("FIRST, LAST, SIZE or a number is expected here") }
    place += 1
    try expect("]")
    switch here.kind {
    case .integer(let number) where number >= 0: return .element(collection, .at(Int(number)), [])
    case .word(let word) where word.uppercased() == "FIRST": return .element(collection, .first, [])
    case .word(let word) where word.uppercased() == "LAST": return .element(collection, .last, [])
    case .word(let word) where word.uppercased() == "SIZE": return .aggregate(.count, collection)
    default: throw QueryError(.syntax, "FIRST, LAST, SIZE or a number is expected here", column: here.column)
    }
  }

  private func following(
    _ value: FetchExpression, _ names: [String], _ column: Int
  ) throws(QueryError) -> FetchExpression {
    switch value {
    case .keyPath(let path): return .keyPath(path + names)
    case .selfObject: return .keyPath(names)
    case .variable(let name): return .variable(([name] + names).joined(separator: "."))
    case .element(let collection, let position, let path): return .element(collection, position, path + names)
    case .subquery(var subquery):
      guard let place = names.firstIndex(where: { $0.hasPrefix("@") }) else {
        subquery.keyPath += names
        return .subquery(subquery)
      }
      guard
        case .aggregate(let aggregate, .keyPath(let path))? = try FetchExpression.collectionOperator(
          in: ["x"] + names[place...])
      else {
        throw QueryError(
          .syntax, "@count, @sum, @avg, @min, @max or @median is expected here", column: column)
      }
      subquery.keyPath += names[..<place] + path.dropFirst()
      return .aggregate(aggregate, .subquery(subquery))
    default: throw QueryError(.syntax, "no name can follow this", column: column)
    }
  }

  private mutating func argument() throws(QueryError) -> FetchExpression {
    guard usedArguments < arguments.count else { throw failure("there is no argument for this place") }
    usedArguments += 1
    return arguments[usedArguments - 1]
  }

  private mutating func primary() throws(QueryError) -> Part {
    if take("(") {
      let inner = try alternatives()
      try expect(")")
      return inner
    }
    if take("{") { return .value(try nested { (parser) throws(QueryError) in try parser.list() }) }
    let here = token
    switch here.kind {
    case .argument:
      let value = try argument()
      place += 1
      return .value(value)
    case .keyArgument:
      guard case .value(.string(let path)) = try argument() else {
        throw failure("%K takes a key path as text")
      }
      place += 1
      return .value(try self.path(path, here.column))
    case .end: break
    default: place += 1
    }
    return .value(try value(here))
  }

  /// The value that one token is, or begins.
  private mutating func value(_ token: FormatToken) throws(QueryError) -> FetchExpression {
    switch token.kind {
    case .text(let text): return .value(.string(text))
    case .name(let name): return try path(name, token.column)
    case .integer(let integer): return .value(.integer(integer))
    case .double(let double): return .value(.double(double))
    case .variable(let name):
      guard !name.isEmpty else {
        throw QueryError(.syntax, "a name is expected behind $", column: token.column)
      }
      return .variable(name)
    case .word(let word):
      return self.token.kind == .symbol("(")
        ? try call(word, token.column) : try constant(word, token.column)
    default: throw QueryError(.syntax, "a key path or a value is expected here", column: token.column)
    }
  }

  private func path(_ text: String, _ column: Int) throws(QueryError) -> FetchExpression {
    let path = FetchExpression.path(text)
    if case .keyPath([]) = path { throw QueryError(.syntax, "a key path is expected here", column: column) }
    return path
  }

  private func constant(_ word: String, _ column: Int) throws(QueryError) -> FetchExpression {
    switch word.uppercased() {
    case "SELF": return .selfObject
    case "TRUE", "YES": return .value(true)
    case "FALSE", "NO": return .value(false)
    case "NIL", "NULL": return .value(.null)
    default: return try path(word.uppercased().hasPrefix("SELF.") ? String(word.dropFirst(5)) : word, column)
    }
  }

  private mutating func list() throws(QueryError) -> FetchExpression {
    var elements: [FetchExpression] = []
    if take("}") { return .list([]) }
    repeat { elements.append(try expression()) } while take(",")
    try expect("}")
    return .list(elements)
  }
}
