public import ObjectModel

extension FetchPredicate {
  /// Reads a condition as Core Data users write it, with its arguments: `FetchPredicate(format:
  /// "pages > %d AND author == %@", 300, author)`.
  ///
  /// Understands every operator and modifier of Apple's predicate format strings, `SUBQUERY`, the
  /// collection operators, arithmetic, functions (`FUNCTION("sqrt:", x)`, `sqrt:(x)` and
  /// `sqrt(x)`), `TERNARY`, `CAST`, `[FIRST]`, `[LAST]`, `[SIZE]` and numbers behind ordered
  /// relationships, `$VARIABLE`, `%@`, `%K` and number formats. Keywords in any case. `trip
  /// ISKINDOF "BusinessTrip"` asks for an object's entity, `trip.#"BusinessTrip:perDiem"` for a
  /// property that only a subentity has, which is null where the object is of another.
  /// - Throws: `QueryError` with the column, when the text is wrong, or an argument is missing or
  ///   too many.
  public init(format: String, _ arguments: (any FetchArgument)?...) throws(QueryError) {
    try self.init(format: format, expressions: arguments.map { $0?.fetchExpression ?? .value(.null) })
  }

  /// Reads a condition with its arguments as values.
  /// - Throws: as `init(format:_:)`.
  public init(format: String, arguments: [AttributeValue]) throws(QueryError) {
    try self.init(format: format, expressions: arguments.map(FetchExpression.value))
  }

  /// Reads a condition with its arguments as expressions.
  /// - Throws: as `init(format:_:)`.
  public init(format: String, expressions: [FetchExpression]) throws(QueryError) {
    var lexer = FormatLexer(format)
    var parser = FormatParser(tokens: try lexer.tokens(), arguments: expressions)
    self = try parser.predicate()
  }
}

extension FetchExpression {
  /// Reads an expression alone: `pages * 2`, `books.@count`.
  /// - Throws: as `FetchPredicate.init(format:_:)`.
  public init(format: String, _ arguments: (any FetchArgument)?...) throws(QueryError) {
    var lexer = FormatLexer(format)
    let expressions = arguments.map { $0?.fetchExpression ?? .value(.null) }
    var parser = FormatParser(tokens: try lexer.tokens(), arguments: expressions)
    self = try parser.wholeExpression()
  }
}
