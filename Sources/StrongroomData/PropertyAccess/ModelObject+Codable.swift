import ObjectContext
import ObjectModel

/// Properties of any other type: identifiers, exact numbers, enumerations by their raw value, all
/// that is Codable, as JSON, and what a transformer is named for. A container refuses a class with
/// a property of any other type, and says what to write.
extension ModelObject {
  /// Reads a value.
  @_disfavoredOverload
  public func read<Model: PersistentModel, Value>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value>, _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Value {
    readCoded(model, keyPath(), indexes, ordinal)
  }

  /// Sets a value.
  @_disfavoredOverload
  public func write<Model: PersistentModel, Value>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value>, _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Value
  ) {
    writeCoded(model, keyPath(), indexes, ordinal, value)
  }

  /// Initialises the property with a value.
  @_disfavoredOverload
  public func initialize<Value>(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Value) {
    initializeCoded(indexes, ordinal, value)
  }

  /// Reads a value in the form of its property, though it may be of a type that has one of its own.
  public func readCoded<Model: PersistentModel, Value>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value>, _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Value {
    access(model, keyPath)
    let property = indexes.shape.own[ordinal]
    let stored = value(indexes[ordinal])
    if let value = property.coding(of: Value.self).decode(stored) { return value }
    return property.empty(Value.self, isDeleted: isDeletedInStore)
  }

  /// Sets a value in the form of its property.
  public func writeCoded<Model: PersistentModel, Value>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Value>, _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Value
  ) {
    let coded = indexes.shape.own[ordinal].coding(of: Value.self).encode(value)
    mutate(model, keyPath, indexes[ordinal]) { set(indexes[ordinal], to: coded) }
  }

  /// Initialises the property with a value in the form of its property.
  public func initializeCoded<Value>(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Value) {
    if isMaterializing { return }
    set(indexes[ordinal], to: indexes.shape.own[ordinal].coding(of: Value.self).encode(value))
  }
}
