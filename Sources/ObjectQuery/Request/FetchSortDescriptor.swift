import ObjectModel

/// One key of an order.
///
/// As `NSSortDescriptor`.
public struct FetchSortDescriptor: Sendable, Hashable, Codable {
  /// How texts are ordered that options leave different.
  public enum Comparator: String, Sendable, Hashable, Codable, CaseIterable {
    /// By Unicode scalars.
    case scalars
    /// As the process's language orders them.
    case localized
    /// As people expect of lists of files: numbers in texts by their value, then as the language
    /// does.
    case localizedStandard
  }

  /// Where null sorts.
  public enum Nulls: String, Sendable, Hashable, Codable, CaseIterable {
    /// Before all values when ascending, after them when descending.
    case least
    /// Before all values.
    case first
    /// After all values.
    case last
  }

  /// The attribute, through to-ones and with collection operators if need be: `author.name`,
  /// `books.@count`; empty for the object itself.
  public var keyPath: [String]
  /// The direction.
  public var ascending: Bool
  /// How text is folded.
  public var options: ComparisonOptions
  /// How texts are ordered.
  public var comparator: Comparator
  /// Where null sorts.
  public var nulls: Nulls

  /// Sorts by a dotted key path, or by `self`: objects in the order they were inserted, new ones last.
  public init(
    _ dotted: String, ascending: Bool = true, options: ComparisonOptions = [],
    comparator: Comparator = .scalars, nulls: Nulls = .least
  ) {
    keyPath = dotted == "self" ? [] : dotted.keyPathNames()
    self.ascending = ascending
    self.options = options
    self.comparator = comparator
    self.nulls = nulls
  }
}
