public import ObjectModel

/// Where the properties that a class declares itself stand in its objects: `@Model` keeps one for each class.
public final class ModelPropertyIndexes: Sendable {
  let shape: ModelSchema
  // Written once by the initialiser, and never let go of: each class keeps its property indexes as long as the process lives.
  @usableFromInline nonisolated(unsafe) let places: UnsafeMutablePointer<PropertyIndex>

  /// Looks a class up.
  public init(_ type: any PersistentModel.Type) {
    shape = ModelSchema.of(type)
    let indexes = shape.own.map(\.index)
    places = .allocate(capacity: max(indexes.count, 1))
    places.initialize(from: indexes, count: indexes.count)
  }

  /// The place of a property, by its number among those that the class declares.
  @inlinable
  subscript(ordinal: Int) -> PropertyIndex { places[ordinal] }
}
