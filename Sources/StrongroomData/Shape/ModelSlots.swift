public import ObjectModel

/// Where the properties that a class declares itself stand in its objects: `@Model` keeps one for each class.
public final class ModelSlots: Sendable {
  let shape: ModelShape
  // Written once by the initialiser, and never let go of: each class keeps its slots as long as the process lives.
  @usableFromInline nonisolated(unsafe) let places: UnsafeMutablePointer<PropertySlot>

  /// Looks a class up.
  public init(_ type: any PersistentModel.Type) {
    shape = ModelShape.of(type)
    let slots = shape.own.map(\.slot)
    places = .allocate(capacity: max(slots.count, 1))
    places.initialize(from: slots, count: slots.count)
  }

  /// The place of a property, by its number among those that the class declares.
  @inlinable
  subscript(ordinal: Int) -> PropertySlot { places[ordinal] }
}
