public import ObjectModel

/// The property indexes of the properties that a class itself declares.
///
/// `@Model` stores one in each class.
public final class ModelPropertyIndexes: Sendable {
  let shape: ModelSchema
  // Written once by the initialiser and never freed: one per class, for the life of the process.
  @usableFromInline nonisolated(unsafe) let places: UnsafeMutablePointer<PropertyIndex>

  /// Looks a class up.
  public init(_ type: any PersistentModel.Type) {
    shape = ModelSchema.of(type)
    let indexes = shape.own.map(\.index)
    places = .allocate(capacity: max(indexes.count, 1))
    places.initialize(from: indexes, count: indexes.count)
  }

  /// The index of a property, by its number among those that the class declares.
  @inlinable
  subscript(ordinal: Int) -> PropertyIndex { places[ordinal] }
}
