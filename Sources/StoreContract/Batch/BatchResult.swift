public import ObjectModel
public import ObjectQuery

/// What a batch did.
public struct BatchResult: Sendable, Hashable {
  /// The number of objects inserted, changed or deleted; deletions that others bring along are counted too.
  public var count: Int
  /// The reference numbers of inserted objects, which follow each other; nil for other batches.
  public var references: Range<Int64>?

  /// Tells of a batch.
  public init(count: Int, references: Range<Int64>? = nil) {
    self.count = count
    self.references = references
  }
}

/// A change that a batch makes to all objects of an entity that meet a condition.
public struct BatchUpdate: Sendable {
  /// Which objects.
  public var request: FetchRequest
  /// The new values, by attribute or to-one; `.reference` for to-ones, `.null` to clear.
  public var values: [String: AttributeValue]

  /// Describes a change.
  public init(_ request: FetchRequest, set values: [String: AttributeValue]) {
    self.request = request
    self.values = values
  }
}
