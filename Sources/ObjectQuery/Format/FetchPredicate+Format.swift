public import ObjectModel

extension FetchPredicate {
  /// Reads a condition as Core Data users write it: `pages > 300 AND author.name BEGINSWITH[cd] "a"`.
  ///
  /// Understands the comparisons with their modifiers, AND, OR, NOT, ANY, SOME, ALL, NONE, BETWEEN, IN, key paths,
  /// `@count`, SELF, constants, `$VARIABLE`, and `%@`, `%K` and number formats for the arguments. Keywords in any case.
  /// - Parameter arguments: The values for `%@` and number formats, and texts for `%K`, in order.
  /// - Throws: `QueryError` with the column, when the text is wrong or an argument is missing.
  public init(format: String, arguments: [AttributeValue] = []) throws(QueryError) {
    var lexer = FormatLexer(format)
    var parser = FormatParser(tokens: try lexer.tokens(), arguments: arguments)
    self = try parser.predicate()
  }
}

/// Reads tokens into a predicate. Nesting is bounded, so hostile text ends in an error and not in a full stack.
private struct FormatParser {
  let tokens: [FormatToken]
  let arguments: [AttributeValue]
  private var place = 0
  private var usedArguments = 0
  private var depth = 0
  private static let greatestDepth = 200

  init(tokens: [FormatToken], arguments: [AttributeValue]) {
    self.tokens = tokens
    self.arguments = arguments
  }

  private var token: FormatToken { tokens[place] }

  private func failure(_ message: String) -> QueryError { QueryError(.syntax, message, column: token.column) }

  private func isWord(_ word: String) -> Bool {
    if case .word(let text) = token.kind { return text.uppercased() == word }
    return false
  }

  private mutating func take(word: String) -> Bool {
    if isWord(word) {
      place += 1
      return true
    }
    return false
  }

  private mutating func take(_ symbol: String) -> Bool {
    if token.kind == .symbol(symbol) {
      place += 1
      return true
    }
    return false
  }

  mutating func predicate() throws(QueryError) -> FetchPredicate {
    let result = try alternatives()
    guard token.kind == .end else { throw failure("AND, OR or the end is expected here") }
    guard usedArguments == arguments.count else {
      throw QueryError(.syntax, "\(arguments.count) arguments were given and \(usedArguments) are used")
    }
    return result
  }

  private mutating func alternatives() throws(QueryError) -> FetchPredicate {
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.greatestDepth else { throw failure("conditions are nested too deeply") }
    var parts = [try conjunction()]
    while take(word: "OR") || take("||") { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func conjunction() throws(QueryError) -> FetchPredicate {
    var parts = [try negation()]
    while take(word: "AND") || take("&&") { parts.append(try negation()) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  private mutating func negation() throws(QueryError) -> FetchPredicate {
    var isNegated = false
    while take(word: "NOT") || take("!") { isNegated.toggle() }
    let result = try simple()
    return isNegated ? .not(result) : result
  }

  private mutating func simple() throws(QueryError) -> FetchPredicate {
    if take("(") {
      let inner = try alternatives()
      guard take(")") else { throw failure(") is expected here") }
      return inner
    }
    if take(word: "TRUEPREDICATE") { return .constant(true) }
    if take(word: "FALSEPREDICATE") { return .constant(false) }
    if take(word: "ANY") || take(word: "SOME") { return .comparison(try comparison(.any)) }
    if take(word: "ALL") { return .comparison(try comparison(.all)) }
    if take(word: "NONE") { return .not(.comparison(try comparison(.any))) }
    return .comparison(try comparison(.direct))
  }

  private mutating func comparison(_ modifier: FetchComparison.Modifier) throws(QueryError) -> FetchComparison
  {
    let left = try expression()
    let (op, swap) = try comparisonOperator()
    let options = try options()
    let right = try expression()
    return FetchComparison(swap ? right : left, op, swap ? left : right, modifier: modifier, options: options)
  }

  private mutating func comparisonOperator() throws(QueryError) -> (FetchOperator, Bool) {
    let symbols: [(String, FetchOperator)] = [
      ("==", .equal), ("=", .equal), ("!=", .notEqual), ("<>", .notEqual), ("<=", .lessOrEqual),
      ("=<", .lessOrEqual),
      (">=", .greaterOrEqual), ("=>", .greaterOrEqual), ("<", .less), (">", .greater),
    ]
    for (symbol, op) in symbols where take(symbol) { return (op, false) }
    for op in [FetchOperator.between, .in, .contains, .beginsWith, .endsWith, .like, .matches]
    where take(word: op.rawValue.uppercased()) { return (op, false) }
    throw failure("a comparison such as == or CONTAINS is expected here")
  }

  private mutating func options() throws(QueryError) -> ComparisonOptions {
    guard take("[") else { return [] }
    guard case .word(let letters) = token.kind else { throw failure("c or d is expected here") }
    var options: ComparisonOptions = []
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      default: throw failure("the option \(letter) is not known; use c and d")
      }
    }
    place += 1
    guard take("]") else { throw failure("] is expected here") }
    return options
  }

  private mutating func argument() throws(QueryError) -> AttributeValue {
    guard usedArguments < arguments.count else { throw failure("there is no argument for this place") }
    usedArguments += 1
    return arguments[usedArguments - 1]
  }

  private mutating func expression() throws(QueryError) -> FetchExpression {
    let here = token
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.greatestDepth else { throw failure("values are nested too deeply") }
    if take("{") { return try list() }
    if take("-") {
      switch try expression() {
      case .value(.integer(let integer)): return .value(.integer(0 &- integer))
      case .value(.double(let double)): return .value(.double(-double))
      default: throw QueryError(.unsupported, "- can stand before a number only", column: here.column)
      }
    }
    if here.kind != .end { place += 1 }
    switch here.kind {
    case .text(let text): return .value(.string(text))
    case .integer(let integer): return .value(.integer(integer))
    case .double(let double): return .value(.double(double))
    case .variable(let name): return .variable(name)
    case .argument: return .value(try argument())
    case .keyArgument:
      guard case .string(let path) = try argument() else {
        throw QueryError(.syntax, "%K takes a key path as text", column: here.column)
      }
      return .path(path)
    case .word(let word):
      switch word.uppercased() {
      case "SELF": return .selfObject
      case "TRUE", "YES": return .value(true)
      case "FALSE", "NO": return .value(false)
      case "NIL", "NULL": return .value(.null)
      case "SUBQUERY", "FUNCTION", "CAST", "TERNARY":
        throw QueryError(.unsupported, "\(word) is not understood yet", column: here.column)
      default: return .path(word.uppercased().hasPrefix("SELF.") ? String(word.dropFirst(5)) : word)
      }
    default: throw QueryError(.syntax, "a key path or a value is expected here", column: here.column)
    }
  }

  private mutating func list() throws(QueryError) -> FetchExpression {
    var elements: [FetchExpression] = []
    if take("}") { return .list([]) }
    repeat { elements.append(try expression()) } while take(",")
    guard take("}") else { throw failure("} is expected here") }
    return .list(elements)
  }
}
