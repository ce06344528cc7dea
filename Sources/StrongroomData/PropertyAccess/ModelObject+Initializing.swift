public import Foundation
public import ObjectContext
public import ObjectModel

/// First values of the properties of a new model; nothing while a model is made for an object of a
/// context.
extension ModelObject {
  /// Initialises the property with a text.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.String) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, string: value)
  }

  /// Initialises the property with a text or nothing.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.String?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, string: value) } else { set(index, to: .null) }
  }

  /// Initialises the property with a whole number.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Int) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, integer: Int64(value))
  }

  /// Initialises the property with a whole number or nothing.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Int?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, integer: Int64(value)) } else { set(index, to: .null) }
  }

  /// Initialises the property with a whole number.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Int64) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, integer: value)
  }

  /// Initialises the property with a whole number or nothing.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Int64?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, integer: value) } else { set(index, to: .null) }
  }

  /// Initialises the property with a whole number.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Int32) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, integer: Int64(value))
  }

  /// Initialises the property with a whole number or nothing.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Int32?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, integer: Int64(value)) } else { set(index, to: .null) }
  }

  /// Initialises the property with a boolean.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Bool) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, boolean: value)
  }

  /// Initialises the property with a boolean or nothing.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Bool?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, boolean: value) } else { set(index, to: .null) }
  }

  /// Initialises the property with a number.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Double) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, double: value)
  }

  /// Initialises the property with a number or nothing.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Double?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, double: value) } else { set(index, to: .null) }
  }

  /// Initialises the property with a number.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Float) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, double: Double(value))
  }

  /// Initialises the property with a number or nothing.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Float?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, double: Double(value)) } else { set(index, to: .null) }
  }

  /// Initialises the property with a date.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Foundation.Date) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, to: .date(value))
  }

  /// Initialises the property with a date or nothing.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Foundation.Date?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, to: .date(value)) } else { set(index, to: .null) }
  }

  /// Initialises the property with bytes.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Foundation.Data) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, to: .data(value))
  }

  /// Initialises the property with bytes or nothing.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Foundation.Data?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, to: .data(value)) } else { set(index, to: .null) }
  }
}
