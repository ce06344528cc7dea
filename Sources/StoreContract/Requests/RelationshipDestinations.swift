/// The destinations of one relationship of many objects, in three flat arrays.
public struct RelationshipDestinations: Sendable {
  /// The index in `references` at which each source's destinations begin; one more entry than
  /// sources.
  public private(set) var offsets: [Int] = [0]
  /// The destinations' reference numbers.
  public private(set) var references: [Int64] = []
  /// The destinations' entities, by index in the model; empty when the destination has no
  /// subentities.
  public private(set) var entityIndices: [Int32] = []

  /// Creates an empty result.
  ///
  /// Add the sources in the order of the request.
  public init() {}

  init(offsets: [Int], references: [Int64], entityIndices: [Int32]) {
    self.offsets = offsets
    self.references = references
    self.entityIndices = entityIndices
  }

  /// Adds a destination to the source being filled.
  @inlinable
  public mutating func append(_ reference: Int64) { appendReference(reference) }

  @usableFromInline
  mutating func appendReference(_ reference: Int64) { references.append(reference) }

  /// Adds a destination with its entity to the source being filled.
  public mutating func append(_ reference: Int64, entityIndex: Int) {
    references.append(reference)
    entityIndices.append(Int32(entityIndex))
  }

  /// Ends the source being filled and begins the next.
  public mutating func endSource() { offsets.append(references.count) }

  /// The destinations of the source at an index.
  public func destinations(at index: Int) -> ArraySlice<Int64> {
    references[offsets[index]..<offsets[index + 1]]
  }
}

/// The value of one relationship of one object.
public enum RelationshipValue: Sendable, Hashable {
  /// A to-one's destination, or nil.
  case toOne(ManagedObjectID?)
  /// A to-many's destinations; in their order when the relationship is ordered. Empty when there
  /// are none, never nil.
  case toMany([ManagedObjectID])
}
