public import Foundation
public import ObjectContext
public import ObjectModel

/// First values of the properties of a new model; nothing while a model is made for an object of a context.
extension ModelObject {
  /// Puts a text in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Swift.String) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    set(slot, string: value)
  }

  /// Puts a text or nothing in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Swift.String?) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    if let value { set(slot, string: value) } else { set(slot, to: .null) }
  }

  /// Puts a whole number in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Swift.Int) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    set(slot, integer: Int64(value))
  }

  /// Puts a whole number or nothing in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Swift.Int?) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    if let value { set(slot, integer: Int64(value)) } else { set(slot, to: .null) }
  }

  /// Puts a whole number in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Swift.Int64) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    set(slot, integer: value)
  }

  /// Puts a whole number or nothing in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Swift.Int64?) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    if let value { set(slot, integer: value) } else { set(slot, to: .null) }
  }

  /// Puts a whole number in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Swift.Int32) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    set(slot, integer: Int64(value))
  }

  /// Puts a whole number or nothing in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Swift.Int32?) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    if let value { set(slot, integer: Int64(value)) } else { set(slot, to: .null) }
  }

  /// Puts a boolean in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Swift.Bool) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    set(slot, boolean: value)
  }

  /// Puts a boolean or nothing in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Swift.Bool?) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    if let value { set(slot, boolean: value) } else { set(slot, to: .null) }
  }

  /// Puts a number in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Swift.Double) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    set(slot, double: value)
  }

  /// Puts a number or nothing in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Swift.Double?) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    if let value { set(slot, double: value) } else { set(slot, to: .null) }
  }

  /// Puts a number in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Swift.Float) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    set(slot, double: Double(value))
  }

  /// Puts a number or nothing in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Swift.Float?) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    if let value { set(slot, double: Double(value)) } else { set(slot, to: .null) }
  }

  /// Puts a date in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Foundation.Date) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    set(slot, to: .date(value))
  }

  /// Puts a date or nothing in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Foundation.Date?) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    if let value { set(slot, to: .date(value)) } else { set(slot, to: .null) }
  }

  /// Puts bytes in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Foundation.Data) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    set(slot, to: .data(value))
  }

  /// Puts bytes or nothing in place.
  @inlinable
  public func initialize(_ slots: ModelSlots, _ ordinal: Int, _ value: Foundation.Data?) {
    if isMaterializing { return }
    let slot = slots[ordinal]
    if let value { set(slot, to: .data(value)) } else { set(slot, to: .null) }
  }
}
