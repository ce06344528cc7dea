public import Foundation
public import ObjectContext
public import ObjectModel

/// Reading the properties of a model. Each read is a look into the row, and a note for whoever tracks it; a fault fires with its
/// batch. The empty value where the row cannot be read, see `ModelContext.save()`.
extension ModelObject {
  /// Reads a text.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.String>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Swift.String {
    access(model, keyPath)
    let slot = slots[ordinal]
    return string(slot)
  }

  /// Reads a text, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.String?>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Swift.String? {
    access(model, keyPath)
    let slot = slots[ordinal]
    return isNull(slot) ? nil : string(slot)
  }

  /// Reads a whole number.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Swift.Int {
    access(model, keyPath)
    let slot = slots[ordinal]
    return Int(integer(slot))
  }

  /// Reads a whole number, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int?>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Swift.Int? {
    access(model, keyPath)
    let slot = slots[ordinal]
    return isNull(slot) ? nil : Int(integer(slot))
  }

  /// Reads a whole number.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int64>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Swift.Int64 {
    access(model, keyPath)
    let slot = slots[ordinal]
    return integer(slot)
  }

  /// Reads a whole number, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int64?>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Swift.Int64? {
    access(model, keyPath)
    let slot = slots[ordinal]
    return isNull(slot) ? nil : integer(slot)
  }

  /// Reads a whole number.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int32>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Swift.Int32 {
    access(model, keyPath)
    let slot = slots[ordinal]
    return Int32(truncatingIfNeeded: integer(slot))
  }

  /// Reads a whole number, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Int32?>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Swift.Int32? {
    access(model, keyPath)
    let slot = slots[ordinal]
    return isNull(slot) ? nil : Int32(truncatingIfNeeded: integer(slot))
  }

  /// Reads a boolean.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Bool>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Swift.Bool {
    access(model, keyPath)
    let slot = slots[ordinal]
    return boolean(slot)
  }

  /// Reads a boolean, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Bool?>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Swift.Bool? {
    access(model, keyPath)
    let slot = slots[ordinal]
    return isNull(slot) ? nil : boolean(slot)
  }

  /// Reads a number.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Double>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Swift.Double {
    access(model, keyPath)
    let slot = slots[ordinal]
    return double(slot)
  }

  /// Reads a number, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Double?>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Swift.Double? {
    access(model, keyPath)
    let slot = slots[ordinal]
    return isNull(slot) ? nil : double(slot)
  }

  /// Reads a number.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Float>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Swift.Float {
    access(model, keyPath)
    let slot = slots[ordinal]
    return Float(double(slot))
  }

  /// Reads a number, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Swift.Float?>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Swift.Float? {
    access(model, keyPath)
    let slot = slots[ordinal]
    return isNull(slot) ? nil : Float(double(slot))
  }

  /// Reads a date.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Foundation.Date>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Foundation.Date {
    access(model, keyPath)
    let slot = slots[ordinal]
    return date(slot)
  }

  /// Reads a date, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Foundation.Date?>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Foundation.Date? {
    access(model, keyPath)
    let slot = slots[ordinal]
    return isNull(slot) ? nil : date(slot)
  }

  /// Reads bytes.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Foundation.Data>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Foundation.Data {
    access(model, keyPath)
    let slot = slots[ordinal]
    return data(slot)
  }

  /// Reads bytes, if there is one.
  @inlinable
  public func read<Model: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Foundation.Data?>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> Foundation.Data? {
    access(model, keyPath)
    let slot = slots[ordinal]
    return isNull(slot) ? nil : data(slot)
  }
}
