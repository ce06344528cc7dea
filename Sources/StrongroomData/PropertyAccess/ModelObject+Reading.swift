public import Foundation
public import ObjectContext
public import ObjectModel

/// Reading the properties of a model. Each read takes the value from the row and reports the access
/// to observation; a fault fires with its batch. Where the row cannot be read, the value is empty,
/// see `ModelContext.save()`.
extension ModelObject {
  /// Reads a text.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.String>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Swift.String {
    access(model, keyPath)
    let index = indexes[ordinal]
    return string(index)
  }

  /// Reads a text, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.String?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Swift.String? {
    access(model, keyPath)
    let index = indexes[ordinal]
    return isNull(index) ? nil : string(index)
  }

  /// Reads a whole number.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int>, _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Swift.Int {
    access(model, keyPath)
    let index = indexes[ordinal]
    return Int(integer(index))
  }

  /// Reads a whole number, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int?>, _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Swift.Int? {
    access(model, keyPath)
    let index = indexes[ordinal]
    return isNull(index) ? nil : Int(integer(index))
  }

  /// Reads a whole number.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int64>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Swift.Int64 {
    access(model, keyPath)
    let index = indexes[ordinal]
    return integer(index)
  }

  /// Reads a whole number, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int64?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Swift.Int64? {
    access(model, keyPath)
    let index = indexes[ordinal]
    return isNull(index) ? nil : integer(index)
  }

  /// Reads a whole number.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int32>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Swift.Int32 {
    access(model, keyPath)
    let index = indexes[ordinal]
    return Int32(truncatingIfNeeded: integer(index))
  }

  /// Reads a whole number, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int32?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Swift.Int32? {
    access(model, keyPath)
    let index = indexes[ordinal]
    return isNull(index) ? nil : Int32(truncatingIfNeeded: integer(index))
  }

  /// Reads a boolean.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Bool>, _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Swift.Bool {
    access(model, keyPath)
    let index = indexes[ordinal]
    return boolean(index)
  }

  /// Reads a boolean, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Bool?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Swift.Bool? {
    access(model, keyPath)
    let index = indexes[ordinal]
    return isNull(index) ? nil : boolean(index)
  }

  /// Reads a number.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Double>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Swift.Double {
    access(model, keyPath)
    let index = indexes[ordinal]
    return double(index)
  }

  /// Reads a number, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Double?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Swift.Double? {
    access(model, keyPath)
    let index = indexes[ordinal]
    return isNull(index) ? nil : double(index)
  }

  /// Reads a number.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Float>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Swift.Float {
    access(model, keyPath)
    let index = indexes[ordinal]
    return Float(double(index))
  }

  /// Reads a number, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Float?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Swift.Float? {
    access(model, keyPath)
    let index = indexes[ordinal]
    return isNull(index) ? nil : Float(double(index))
  }

  /// Reads a date.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Foundation.Date>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Foundation.Date {
    access(model, keyPath)
    let index = indexes[ordinal]
    return date(index)
  }

  /// Reads a date, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Foundation.Date?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Foundation.Date? {
    access(model, keyPath)
    let index = indexes[ordinal]
    return isNull(index) ? nil : date(index)
  }

  /// Reads bytes.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Foundation.Data>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Foundation.Data {
    access(model, keyPath)
    let index = indexes[ordinal]
    return data(index)
  }

  /// Reads bytes, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Foundation.Data?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> Foundation.Data? {
    access(model, keyPath)
    let index = indexes[ordinal]
    return isNull(index) ? nil : data(index)
  }
}
