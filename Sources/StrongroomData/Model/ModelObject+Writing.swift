public import Foundation
public import ObjectContext
public import ObjectModel

/// Setting the properties of a model.
extension ModelObject {
  /// Sets a text.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.String>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Swift.String
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { set(slot, string: value) }
  }

  /// Sets a text or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.String?>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Swift.String?
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { if let value { set(slot, string: value) } else { set(slot, to: .null) } }
  }

  /// Sets a whole number.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Swift.Int
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { set(slot, integer: Int64(value)) }
  }

  /// Sets a whole number or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int?>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Swift.Int?
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { if let value { set(slot, integer: Int64(value)) } else { set(slot, to: .null) } }
  }

  /// Sets a whole number.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int64>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Swift.Int64
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { set(slot, integer: value) }
  }

  /// Sets a whole number or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int64?>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Swift.Int64?
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { if let value { set(slot, integer: value) } else { set(slot, to: .null) } }
  }

  /// Sets a whole number.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int32>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Swift.Int32
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { set(slot, integer: Int64(value)) }
  }

  /// Sets a whole number or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int32?>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Swift.Int32?
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { if let value { set(slot, integer: Int64(value)) } else { set(slot, to: .null) } }
  }

  /// Sets a boolean.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Bool>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Swift.Bool
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { set(slot, boolean: value) }
  }

  /// Sets a boolean or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Bool?>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Swift.Bool?
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { if let value { set(slot, boolean: value) } else { set(slot, to: .null) } }
  }

  /// Sets a number.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Double>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Swift.Double
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { set(slot, double: value) }
  }

  /// Sets a number or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Double?>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Swift.Double?
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { if let value { set(slot, double: value) } else { set(slot, to: .null) } }
  }

  /// Sets a number.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Float>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Swift.Float
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { set(slot, double: Double(value)) }
  }

  /// Sets a number or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Float?>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Swift.Float?
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { if let value { set(slot, double: Double(value)) } else { set(slot, to: .null) } }
  }

  /// Sets a date.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Foundation.Date>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Foundation.Date
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { set(slot, to: .date(value)) }
  }

  /// Sets a date or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Foundation.Date?>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Foundation.Date?
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { if let value { set(slot, to: .date(value)) } else { set(slot, to: .null) } }
  }

  /// Sets bytes.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Foundation.Data>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Foundation.Data
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { set(slot, to: .data(value)) }
  }

  /// Sets bytes or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Foundation.Data?>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Foundation.Data?
  ) {
    let slot = slots[ordinal]
    mutate(model, keyPath) { if let value { set(slot, to: .data(value)) } else { set(slot, to: .null) } }
  }
}
