public import Foundation
public import ObjectContext
public import ObjectModel

/// First values of the properties of a new model; nothing while a model is made for an object of a context.
extension ModelObject {
  /// Puts a text in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.String) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, string: value)
  }

  /// Puts a text or nothing in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.String?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, string: value) } else { set(index, to: .null) }
  }

  /// Puts a whole number in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Int) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, integer: Int64(value))
  }

  /// Puts a whole number or nothing in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Int?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, integer: Int64(value)) } else { set(index, to: .null) }
  }

  /// Puts a whole number in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Int64) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, integer: value)
  }

  /// Puts a whole number or nothing in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Int64?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, integer: value) } else { set(index, to: .null) }
  }

  /// Puts a whole number in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Int32) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, integer: Int64(value))
  }

  /// Puts a whole number or nothing in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Int32?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, integer: Int64(value)) } else { set(index, to: .null) }
  }

  /// Puts a boolean in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Bool) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, boolean: value)
  }

  /// Puts a boolean or nothing in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Bool?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, boolean: value) } else { set(index, to: .null) }
  }

  /// Puts a number in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Double) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, double: value)
  }

  /// Puts a number or nothing in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Double?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, double: value) } else { set(index, to: .null) }
  }

  /// Puts a number in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Float) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, double: Double(value))
  }

  /// Puts a number or nothing in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Swift.Float?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, double: Double(value)) } else { set(index, to: .null) }
  }

  /// Puts a date in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Foundation.Date) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, to: .date(value))
  }

  /// Puts a date or nothing in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Foundation.Date?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, to: .date(value)) } else { set(index, to: .null) }
  }

  /// Puts bytes in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Foundation.Data) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    set(index, to: .data(value))
  }

  /// Puts bytes or nothing in place.
  @inlinable
  public func initialize(_ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Foundation.Data?) {
    if isMaterializing { return }
    let index = indexes[ordinal]
    if let value { set(index, to: .data(value)) } else { set(index, to: .null) }
  }
}
