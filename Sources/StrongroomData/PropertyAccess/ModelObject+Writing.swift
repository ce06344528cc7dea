public import Foundation
public import ObjectContext
public import ObjectModel

/// Setting the properties of a model.
extension ModelObject {
  /// Sets a text.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.String>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Swift.String
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) { set(index, string: value) }
  }

  /// Sets a text or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.String?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Swift.String?
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) {
      if let value { set(index, string: value) } else { set(index, to: .null) }
    }
  }

  /// Sets a whole number.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int>, _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Swift.Int
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) { set(index, integer: Int64(value)) }
  }

  /// Sets a whole number or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int?>, _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Swift.Int?
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) {
      if let value { set(index, integer: Int64(value)) } else { set(index, to: .null) }
    }
  }

  /// Sets a whole number.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int64>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Swift.Int64
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) { set(index, integer: value) }
  }

  /// Sets a whole number or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int64?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Swift.Int64?
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) {
      if let value { set(index, integer: value) } else { set(index, to: .null) }
    }
  }

  /// Sets a whole number.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int32>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Swift.Int32
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) { set(index, integer: Int64(value)) }
  }

  /// Sets a whole number or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int32?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Swift.Int32?
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) {
      if let value { set(index, integer: Int64(value)) } else { set(index, to: .null) }
    }
  }

  /// Sets a boolean.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Bool>, _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Swift.Bool
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) { set(index, boolean: value) }
  }

  /// Sets a boolean or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Bool?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Swift.Bool?
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) {
      if let value { set(index, boolean: value) } else { set(index, to: .null) }
    }
  }

  /// Sets a number.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Double>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Swift.Double
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) { set(index, double: value) }
  }

  /// Sets a number or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Double?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Swift.Double?
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) {
      if let value { set(index, double: value) } else { set(index, to: .null) }
    }
  }

  /// Sets a number.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Float>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Swift.Float
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) { set(index, double: Double(value)) }
  }

  /// Sets a number or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Float?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Swift.Float?
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) {
      if let value { set(index, double: Double(value)) } else { set(index, to: .null) }
    }
  }

  /// Sets a date.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Foundation.Date>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Foundation.Date
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) { set(index, to: .date(value)) }
  }

  /// Sets a date or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Foundation.Date?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Foundation.Date?
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) {
      if let value { set(index, to: .date(value)) } else { set(index, to: .null) }
    }
  }

  /// Sets bytes.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Foundation.Data>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Foundation.Data
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) { set(index, to: .data(value)) }
  }

  /// Sets bytes or nothing.
  @inlinable
  public func write<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Foundation.Data?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Foundation.Data?
  ) {
    let index = indexes[ordinal]
    mutate(model, keyPath, index) {
      if let value { set(index, to: .data(value)) } else { set(index, to: .null) }
    }
  }
}
