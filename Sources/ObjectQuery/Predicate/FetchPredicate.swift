public import ObjectModel

/// A predicate that selects the same rows in SQL and in memory.
///
/// As `NSPredicate`.
///
/// Logic is two-valued. Null equals null and nothing else, so `!=` is exactly the opposite of `==`
/// and keeps rows with null. An ordering comparison, a text comparison or BETWEEN with a null side
/// is false. Numbers and booleans compare by value whatever their types; text compares by Unicode
/// scalars unless options fold it; bytes and UUIDs compare bytewise. A key path over a null to-one
/// is null. ANY over nothing is false, ALL is true.
public indirect enum FetchPredicate: Sendable, Hashable, Codable {
  /// Always or never.
  case constant(Bool)
  /// A comparison.
  case comparison(FetchComparison)
  /// All of them; true when there are none.
  case and([FetchPredicate])
  /// One of them at least; false when there are none.
  case or([FetchPredicate])
  /// The opposite.
  case not(FetchPredicate)
  /// Whether an object is of the entity of a name, or of one that inherits from it; false where
  /// there is none.
  case kind(FetchExpression, String)
}

/// How two sides are compared.
public enum FetchOperator: String, Sendable, Hashable, Codable, CaseIterable {
  /// The same value, or both null.
  case equal
  /// Not `equal`.
  case notEqual
  /// Before.
  case less
  /// Before or the same.
  case lessOrEqual
  /// After.
  case greater
  /// After or the same.
  case greaterOrEqual
  /// From the first to the second of a list of two.
  case between
  /// Equal to one of a list.
  case `in`
  /// The text contains the other text.
  case contains
  /// The text begins with the other.
  case beginsWith
  /// The text ends with the other.
  case endsWith
  /// The text fits a pattern of `*` and `?`.
  case like
  /// The whole text fits a regular expression.
  case matches
  /// The text has the words asked for, whatever their case and marks: `quick brow*` for all of
  /// these, `fox OR cat` for one of them, `"brown fox"` for words in a row, `-dog` for none of it.
  case search
}

/// Folding of text before it is compared.
public struct ComparisonOptions: OptionSet, Sendable, Hashable, Codable {
  /// The bits.
  public let rawValue: Int
  /// Makes options of bits.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// Upper and lower case are the same.
  public static let caseInsensitive = ComparisonOptions(rawValue: 1)
  /// Letters are the same with and without marks.
  public static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
  /// The texts are compared as they stand; they are so without options too.
  public static let normalized = ComparisonOptions(rawValue: 4)

  /// Whether texts change before they are compared.
  package var folds: Bool { !isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) }
}

/// One comparison.
public struct FetchComparison: Sendable, Hashable, Codable {
  /// For which of the values of a to-many key path it must hold.
  public enum Modifier: String, Sendable, Hashable, Codable {
    /// There is one value.
    case direct
    /// One at least.
    case any
    /// Every one.
    case all
  }

  /// The left side.
  public var left: FetchExpression
  /// The operator.
  public var `operator`: FetchOperator
  /// The right side.
  public var right: FetchExpression
  /// Which values it must hold for.
  public var modifier: Modifier
  /// How text is folded.
  public var options: ComparisonOptions

  /// Makes a comparison.
  public init(
    _ left: FetchExpression, _ operator: FetchOperator, _ right: FetchExpression,
    modifier: Modifier = .direct,
    options: ComparisonOptions = []
  ) {
    self.left = left
    self.operator = `operator`
    self.right = right
    self.modifier = modifier
    self.options = options
  }
}

extension FetchPredicate {
  /// A comparison of a dotted key path with a constant.
  public static func compare(
    _ dotted: String, _ operator: FetchOperator, _ value: AttributeValue, options: ComparisonOptions = []
  ) -> FetchPredicate {
    .comparison(FetchComparison(.path(dotted), `operator`, .value(value), options: options))
  }
}

extension FetchPredicate {
  /// The parts that must all hold.
  package var conjuncts: [FetchPredicate] {
    if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
  }
}
