import ObjectModel

/// Reads tokens into a predicate.
///
/// Nesting is bounded, so hostile text ends in an error and not in a full stack.
///
/// A parenthesis may hold a condition or a value, which shows at its end only; so both are read by
/// the same steps.
struct FormatParser {
  /// A condition or a value.
  enum Part {
    case condition(FetchPredicate)
    case value(FetchExpression)
  }

  let tokens: [FormatToken]
  let arguments: [FetchExpression]
  var place = 0
  var usedArguments = 0
  private var depth = 0
  static let greatestDepth = 100

  init(tokens: [FormatToken], arguments: [FetchExpression]) {
    self.tokens = tokens
    self.arguments = arguments
  }

  var token: FormatToken { tokens[place] }

  func failure(_ message: String) -> QueryError { QueryError(.syntax, message, column: token.column) }

  func isWord(_ word: String) -> Bool {
    if case .word(let text) = token.kind { return text.uppercased() == word }
    return false
  }

  mutating func take(word: String) -> Bool {
    if isWord(word) {
      place += 1
      return true
    }
    return false
  }

  mutating func take(_ symbol: String) -> Bool {
    if token.kind == .symbol(symbol) {
      place += 1
      return true
    }
    return false
  }

  mutating func expect(_ symbol: String) throws(QueryError) {
    guard take(symbol) else { throw failure("\(symbol) is expected here") }
  }

  /// Runs a step one level deeper.
  mutating func nested<R>(
    _ step: (inout FormatParser) throws(QueryError) -> R
  ) throws(QueryError) -> R {
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.greatestDepth else { throw failure("this is nested too deeply") }
    return try step(&self)
  }

  // MARK: The whole

  mutating func predicate() throws(QueryError) -> FetchPredicate {
    let result = try condition()
    try end("AND, OR or the end is expected here", result.nesting(upTo: Self.greatestDepth))
    return result
  }

  mutating func wholeExpression() throws(QueryError) -> FetchExpression {
    let result = try expression()
    try end("an operator or the end is expected here", result.nesting(upTo: Self.greatestDepth))
    return result
  }

  /// - `nesting`: Of what was read. Chains of operators nest too, though their text does not.
  private func end(_ message: String, _ nesting: Int) throws(QueryError) {
    guard nesting < Self.greatestDepth - 2 else { throw failure("this is nested too deeply") }
    guard token.kind == .end else { throw failure(message) }
    guard usedArguments == arguments.count else {
      throw QueryError(
        .syntax, "\(arguments.count.counted("argument", "was", "were")) given, and \(usedArguments) used")
    }
  }

  // MARK: Conditions

  mutating func condition() throws(QueryError) -> FetchPredicate {
    guard case .condition(let result) = try alternatives() else {
      throw failure("a comparison such as == or CONTAINS is expected here")
    }
    return result
  }

  /// Conditions joined by OR, or one value.
  mutating func alternatives() throws(QueryError) -> Part {
    try nested { parser throws(QueryError) in
      try parser.joined(
        { (parser) throws(QueryError) in parser.take(word: "OR") || parser.take("||") },
        { (parser) throws(QueryError) in
          try parser.joined(
            { (parser) throws(QueryError) in parser.take(word: "AND") || parser.take("&&") },
            { (parser) throws(QueryError) in try parser.negation() }, FetchPredicate.and)
        }, FetchPredicate.or)
    }
  }

  private mutating func joined(
    _ sign: (inout FormatParser) throws(QueryError) -> Bool,
    _ next: (inout FormatParser) throws(QueryError) -> Part, _ join: ([FetchPredicate]) -> FetchPredicate
  ) throws(QueryError) -> Part {
    let first = try next(&self)
    var parts: [FetchPredicate] = []
    while case let column = token.column, try sign(&self) {
      if parts.isEmpty {
        guard case .condition(let condition) = first else {
          throw QueryError(.syntax, "a condition is expected on each side", column: column)
        }
        parts = [condition]
      }
      guard case .condition(let condition) = try next(&self) else {
        throw failure("a comparison such as == or CONTAINS is expected here")
      }
      parts.append(condition)
    }
    return parts.isEmpty ? first : .condition(join(parts))
  }

  private mutating func negation() throws(QueryError) -> Part {
    var isNegated = false
    var isPlain = true
    while take(word: "NOT") || take("!") {
      isNegated.toggle()
      isPlain = false
    }
    let part = try comparison()
    if isPlain { return part }
    guard case .condition(let condition) = part else {
      throw failure("a comparison such as == or CONTAINS is expected here")
    }
    return .condition(isNegated ? .not(condition) : condition)
  }

  private mutating func comparison() throws(QueryError) -> Part {
    if take(word: "TRUEPREDICATE") { return .condition(.constant(true)) }
    if take(word: "FALSEPREDICATE") { return .condition(.constant(false)) }
    if take(word: "ANY") || take(word: "SOME") { return .condition(.comparison(try plural(.any))) }
    if take(word: "ALL") { return .condition(.comparison(try plural(.all))) }
    if take(word: "NONE") { return .condition(.not(.comparison(try plural(.any)))) }
    let left = try sum()
    if case .value(let value) = left, take(word: "ISKINDOF") {
      return .condition(.kind(value, try entityName()))
    }
    guard case .value(let value) = left, let op = comparisonOperator() else { return left }
    return .condition(.comparison(try comparison(value, op, .direct)))
  }

  /// The name of an entity, as a word, as text or as an argument.
  private mutating func entityName() throws(QueryError) -> String {
    if case .word(let name) = token.kind {
      place += 1
      return name
    }
    guard case .value(.string(let name)) = try expression() else {
      throw failure("ISKINDOF takes the name of an entity")
    }
    return name
  }

  private mutating func plural(_ modifier: FetchComparison.Modifier) throws(QueryError) -> FetchComparison {
    let left = try expression()
    guard let op = comparisonOperator() else {
      throw failure("a comparison such as == or CONTAINS is expected here")
    }
    return try comparison(left, op, modifier)
  }

  private mutating func comparison(
    _ left: FetchExpression, _ op: FetchOperator, _ modifier: FetchComparison.Modifier
  ) throws(QueryError) -> FetchComparison {
    let options = try options()
    return FetchComparison(left, op, try expression(), modifier: modifier, options: options)
  }

  private mutating func comparisonOperator() -> FetchOperator? {
    let symbols: [(String, FetchOperator)] = [
      ("==", .equal), ("=", .equal), ("!=", .notEqual), ("<>", .notEqual), ("<=", .lessOrEqual),
      ("=<", .lessOrEqual), (">=", .greaterOrEqual), ("=>", .greaterOrEqual), ("<", .less), (">", .greater),
    ]
    for (symbol, op) in symbols where take(symbol) { return op }
    for op in [FetchOperator.between, .in, .contains, .beginsWith, .endsWith, .like, .matches, .search]
    where take(word: op.rawValue.uppercased()) { return op }
    return nil
  }

  private mutating func options() throws(QueryError) -> ComparisonOptions {
    guard take("[") else { return [] }
    guard case .word(let letters) = token.kind else { throw failure("c, d or n is expected here") }
    var options: ComparisonOptions = []
    for letter in letters.lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      case "n": options.insert(.normalized)
      default: throw failure("the option \(letter) is not known; use c, d and n")
      }
    }
    place += 1
    try expect("]")
    return options
  }
}
