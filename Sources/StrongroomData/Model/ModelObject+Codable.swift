import ObjectContext
import ObjectModel

/// Properties of any other type: identifiers, exact numbers, enumerations by their raw value, all that is Codable, as JSON, and
/// what a transformer is named for. A container refuses a class with a property of any other type, and says what to write.
extension ModelObject {
  /// Reads a value.
  @_disfavoredOverload
  public func read<Model: PersistentModel, Value>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value>, _ slots: ModelSlots, _ ordinal: Int
  ) -> Value {
    readCoded(model, keyPath(), slots, ordinal)
  }

  /// Sets a value.
  @_disfavoredOverload
  public func write<Model: PersistentModel, Value>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value>, _ slots: ModelSlots, _ ordinal: Int,
    _ value: Value
  ) {
    writeCoded(model, keyPath(), slots, ordinal, value)
  }

  /// Puts a value in place.
  @_disfavoredOverload
  public func initialize<Value>(_ slots: ModelSlots, _ ordinal: Int, _ value: Value) {
    initializeCoded(slots, ordinal, value)
  }

  /// Reads a value in the form of its property, though it may be of a type that has one of its own.
  public func readCoded<Model: PersistentModel, Value>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value>, _ slots: ModelSlots, _ ordinal: Int
  ) -> Value {
    access(model, keyPath)
    let property = slots.shape.own[ordinal]
    let stored = value(slots[ordinal])
    if let value = property.coding(of: Value.self).decode(stored) { return value }
    return property.empty(Value.self, isDeleted: isGone)
  }

  /// Sets a value in the form of its property.
  public func writeCoded<Model: PersistentModel, Value>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value>, _ slots: ModelSlots, _ ordinal: Int,
    _ value: Value
  ) {
    let coded = slots.shape.own[ordinal].coding(of: Value.self).encode(value)
    mutate(model, keyPath) { set(slots[ordinal], to: coded) }
  }

  /// Puts a value in place in the form of its property.
  public func initializeCoded<Value>(_ slots: ModelSlots, _ ordinal: Int, _ value: Value) {
    if isMaterializing { return }
    set(slots[ordinal], to: slots.shape.own[ordinal].coding(of: Value.self).encode(value))
  }
}
