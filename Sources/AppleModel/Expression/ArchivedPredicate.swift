public import KeyedArchive
public import ObjectQuery

/// An `NSPredicate` of an archive, as a tree.
public indirect enum ArchivedPredicate: Sendable, Hashable {
  /// Always or never.
  case constant(Bool)
  /// A comparison.
  case comparison(ArchivedComparison)
  /// All of them.
  case and([ArchivedPredicate])
  /// One of them at least.
  case or([ArchivedPredicate])
  /// The opposite.
  case not(ArchivedPredicate)
  /// A predicate of a class that has no case here, or with an operator of the program's own, by name.
  case unknown(String)

  /// Reads a predicate of an archive.
  ///
  /// - Throws: `KeyedArchiveError` when it is none, lacks a part, contains itself, or is nested too
  ///   deeply.
  public init(_ value: ArchivedValue) throws(KeyedArchiveError) {
    var reader = ExpressionReader()
    self = try reader.predicate(value)
  }
}

/// A comparison of two archived expressions.
public struct ArchivedComparison: Sendable, Hashable {
  /// The left side.
  public var left: ArchivedExpression
  /// The operator.
  public var `operator`: FetchOperator
  /// The right side.
  public var right: ArchivedExpression
  /// Which values of a to-many it must hold for.
  public var modifier: FetchComparison.Modifier
  /// How text is folded.
  public var options: ComparisonOptions

  /// Makes a comparison.
  public init(
    _ left: ArchivedExpression, _ operator: FetchOperator, _ right: ArchivedExpression,
    modifier: FetchComparison.Modifier = .direct, options: ComparisonOptions = []
  ) {
    self.left = left
    self.operator = `operator`
    self.right = right
    self.modifier = modifier
    self.options = options
  }
}
