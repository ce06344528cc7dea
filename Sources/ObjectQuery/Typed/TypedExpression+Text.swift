import ObjectModel

/// A text, or one that may be missing.
public protocol TextProperty {}
extension String: TextProperty {}
extension String?: TextProperty {}

extension TypedExpression where Value: TextProperty {
  private func holds(
    _ op: FetchOperator, _ text: String, _ options: ComparisonOptions
  ) -> FetchPredicate {
    .comparison(FetchComparison(expression, op, .value(.string(text)), options: options))
  }

  /// Whether the text holds another; false for null.
  public func contains(_ text: String, _ options: ComparisonOptions = []) -> FetchPredicate {
    holds(.contains, text, options)
  }

  /// Whether the text begins with another; false for null.
  public func hasPrefix(_ text: String, _ options: ComparisonOptions = []) -> FetchPredicate {
    holds(.beginsWith, text, options)
  }

  /// Whether the text ends with another; false for null.
  public func hasSuffix(_ text: String, _ options: ComparisonOptions = []) -> FetchPredicate {
    holds(.endsWith, text, options)
  }

  /// Whether the whole text is another, folded by the options.
  public func equals(_ text: String, _ options: ComparisonOptions) -> FetchPredicate {
    holds(.equal, text, options)
  }

  /// Whether the whole text fits a pattern: `*` for any characters, `?` for one.
  public func like(_ pattern: String, _ options: ComparisonOptions = []) -> FetchPredicate {
    holds(.like, pattern, options)
  }

  /// Whether the whole text fits a regular expression.
  public func matches(_ pattern: String, _ options: ComparisonOptions = []) -> FetchPredicate {
    holds(.matches, pattern, options)
  }

  /// Whether the text has the words asked for; see `FetchOperator.search`.
  public func search(_ words: String) -> FetchPredicate { holds(.search, words, []) }

  /// The number of characters.
  public var count: TypedExpression<Int> { TypedExpression<Int>(.function(.length, [expression])) }
  /// Whether the text has no character; false for null.
  public var isEmpty: FetchPredicate { holds(.equal, "", []) }
  /// The text in capitals.
  public func uppercased() -> Self { Self(.function(.uppercase, [expression])) }
  /// The text in small letters.
  public func lowercased() -> Self { Self(.function(.lowercase, [expression])) }
}
