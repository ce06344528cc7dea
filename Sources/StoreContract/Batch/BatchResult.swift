public import ObjectModel
public import ObjectQuery

/// The result of a batch.
public struct BatchResult: Sendable, Hashable {
  /// The number of objects inserted, changed or deleted, with those that delete rules cascade to.
  public var count: Int
  /// The reference numbers of the inserted objects, which are consecutive; nil for other batches.
  public var references: Range<Int64>?

  /// Creates a result.
  public init(count: Int, references: Range<Int64>? = nil) {
    self.count = count
    self.references = references
  }
}

/// A batch update: sets the same values on all objects of an entity that meet a predicate.
///
/// As Core Data's `NSBatchUpdateRequest`.
public struct BatchUpdate: Sendable {
  /// The objects to change.
  public var request: FetchRequest
  /// The new values, by attribute or to-one; `.reference` for to-ones, `.null` to clear.
  public var values: [String: AttributeValue]

  /// Creates a batch update.
  public init(_ request: FetchRequest, set values: [String: AttributeValue]) {
    self.request = request
    self.values = values
  }
}
