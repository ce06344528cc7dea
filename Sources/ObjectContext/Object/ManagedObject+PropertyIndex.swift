public import Foundation
public import ObjectModel
import StoreContract

/// Access by place: what generated accessors call, with no look-up of names.
///
/// A fault fires on the first read, with its batch. Reading never throws: when the row was deleted or
/// cannot be read, the answer is the type's empty value, and `ManagedObjectContext.faultFailure` has the
/// reason, with which the context then refuses to save; where the context deletes inaccessible
/// faults, a deleted row is no such reason, and setting a value of a deleted object does
/// nothing. A value must be of the property's type.
extension ManagedObject {
  /// Whether a value is null.
  public final func isNull(_ property: PropertyIndex) -> Bool {
    checkIsolation()
    if dirty & property.mask == 0, property.field >= 0, let unmanagedNode {
      return unmanagedNode.isNull(property.field)
    }
    return slowValue(property).isNull
  }

  /// An integer; 0 when null.
  public final func integer(_ property: PropertyIndex) -> Int64 {
    checkIsolation()
    if dirty & property.mask == 0, property.field >= 0, let unmanagedNode {
      return unmanagedNode.integer(property.field)
    }
    if case .integer(let integer) = slowValue(property) { return integer }
    return 0
  }

  /// The reference number of a to-one's destination, without making the object; 0 for none.
  public final func reference(_ property: PropertyIndex) -> Int64 {
    checkIsolation()
    if dirty & property.mask == 0, property.field >= 0, let unmanagedNode {
      return unmanagedNode.integer(property.field)
    }
    if case .reference(let reference) = slowValue(property) { return reference }
    return 0
  }

  /// A boolean; false when null.
  public final func boolean(_ property: PropertyIndex) -> Bool {
    checkIsolation()
    if dirty & property.mask == 0, property.field >= 0, let unmanagedNode {
      return unmanagedNode.integer(property.field) != 0
    }
    if case .boolean(let flag) = slowValue(property) { return flag }
    return false
  }

  /// A double or float; 0 when null.
  public final func double(_ property: PropertyIndex) -> Double {
    checkIsolation()
    if dirty & property.mask == 0, property.field >= 0, let unmanagedNode {
      return unmanagedNode.double(property.field)
    }
    if case .double(let double) = slowValue(property) { return double }
    return 0
  }

  /// A date; 2001-01-01 when null.
  public final func date(_ property: PropertyIndex) -> Date {
    checkIsolation()
    if dirty & property.mask == 0, property.field >= 0, let unmanagedNode {
      return Date(timeIntervalSinceReferenceDate: unmanagedNode.double(property.field))
    }
    if case .date(let date) = slowValue(property) { return date }
    return Date(timeIntervalSinceReferenceDate: 0)
  }

  /// A text; empty when null.
  public final func string(_ property: PropertyIndex) -> String {
    checkIsolation()
    if dirty & property.mask == 0, property.field >= 0, let unmanagedNode {
      return unmanagedNode.fromBytes(property.field) { String(decoding: $0, as: UTF8.self) }
    }
    if case .string(let text) = slowValue(property) { return text }
    return ""
  }

  /// Bytes; none when null.
  public final func data(_ property: PropertyIndex) -> Data {
    checkIsolation()
    if dirty & property.mask == 0, property.field >= 0, let unmanagedNode,
      !unmanagedNode.isUnread(property.field)
    {
      return unmanagedNode.fromBytes(property.field) { Data($0) }
    }
    if case .data(let data) = slowValue(property) { return data }
    return Data()
  }

  /// Lets a closure see the UTF-8 of a text or the bytes of a binary attribute where they lie,
  /// without a copy.
  ///
  /// One statement for the batch when the object is a fault.
  /// - Throws: what the closure throws.
  public final func withBytes<R>(
    _ property: PropertyIndex, _ body: (UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    if dirty & property.mask == 0, property.field >= 0, let node, !node.isUnread(property.field) {
      return try node.withBytes(property.field, body)
    }
    switch slowValue(property) {
    case .string(var text): return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    case .data(let data): return try data.withUnsafeBytes(body)
    default: return try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  /// A value of any type.
  public final func value(_ property: PropertyIndex) -> AttributeValue { slowValue(property) }

  /// The destination of a to-one; often a fault.
  public final func object(_ property: PropertyIndex) -> ManagedObject? {
    guard case .relationship(let relationship) = entity.properties[property.index] else { return nil }
    return guarded(nil) { try destination(relationship) }
  }

  /// The destinations of a to-many; none without a context.
  public final func objects(_ property: PropertyIndex) -> [ManagedObject] {
    guard case .relationship(let relationship) = entity.properties[property.index] else { return [] }
    return guarded([]) { Array(try destinations(relationship)) }
  }

  /// Sets a value of any type.
  public final func set(_ property: PropertyIndex, to value: AttributeValue) {
    if !overwrite(property, value) { slowSet(property, value) }
  }

  /// Sets an integer.
  public final func set(_ property: PropertyIndex, integer: Int64) {
    if !overwrite(property, .integer(integer)) { slowSet(property, .integer(integer)) }
  }

  /// Sets a boolean.
  public final func set(_ property: PropertyIndex, boolean: Bool) {
    if !overwrite(property, .boolean(boolean)) { slowSet(property, .boolean(boolean)) }
  }

  /// Sets a double or float.
  public final func set(_ property: PropertyIndex, double: Double) {
    if !overwrite(property, .double(double)) { slowSet(property, .double(double)) }
  }

  /// Sets a text.
  public final func set(_ property: PropertyIndex, string: String) {
    if !overwrite(property, .string(string)) { slowSet(property, .string(string)) }
  }

  /// Sets a value that was set before, since the row was read; false when it was not.
  ///
  /// The object is noted as changed already then.
  @inline(__always)
  private final func overwrite(_ property: PropertyIndex, _ value: AttributeValue) -> Bool {
    checkIsolation()
    guard dirty & property.mask != 0, property.index < 31, let unmanagedChanges,
      let values = unmanagedChanges._withUnsafeGuaranteedRef({ $0.overwritable })
    else { return false }
    values[property.index] = value
    return true
  }

  /// Sets or clears the destination of a to-one, and updates the inverse.
  public final func setObject(_ property: PropertyIndex, to destination: ManagedObject?) {
    guard case .relationship(let relationship) = entity.properties[property.index] else { return }
    guarded(()) {
      try check(destination, relationship)
      try liveGraph().relationships.setToOne(self, relationship, destination)
    }
  }

  /// Adds an object to a to-many, and keeps the inverse in step.
  public final func add(_ destination: ManagedObject, to property: PropertyIndex) {
    guard case .relationship(let relationship) = entity.properties[property.index] else { return }
    guarded(()) {
      try check(destination, relationship)
      try liveGraph().relationships.link(self, relationship, destination)
    }
  }

  /// Takes an object out of a to-many, and keeps the inverse in step.
  public final func remove(_ destination: ManagedObject, from property: PropertyIndex) {
    guard case .relationship(let relationship) = entity.properties[property.index] else { return }
    guarded(()) {
      try check(destination, relationship)
      try liveGraph().relationships.unlink(self, relationship, destination)
    }
  }

  /// Sets the destinations of a to-many, in this order where it is ordered, and updates the
  /// inverses.
  public final func setObjects(_ property: PropertyIndex, to destinations: [ManagedObject]) {
    guard case .relationship(let relationship) = entity.properties[property.index] else { return }
    guarded(()) { try setObjects(destinations, forKey: relationship.name) }
  }

  /// The value as it was set, or as the fault brings it.
  @inline(__always)
  private final func slowValue(_ property: PropertyIndex) -> AttributeValue {
    if dirty & property.mask != 0, property.index < 31, let unmanagedChanges,
      let values = unmanagedChanges._withUnsafeGuaranteedRef({ $0.values })
    {
      return values[property.index]
    }
    return faultValue(property)
  }

  private final func faultValue(_ property: PropertyIndex) -> AttributeValue {
    guarded(.null) { try slotValue(entity.properties[property.index]) }
  }

  private final func slowSet(_ property: PropertyIndex, _ value: AttributeValue) {
    if isDetached { return setSlot(property.index, value) }
    if needsContext { checkContext(writing: true) }
    guarded(()) {
      let graph = try liveGraph()
      try readRowToChange()
      setSlot(property.index, value)
      if property.field >= 0 { graph.tracker.recordUpdate(self) }
    }
  }

  private final func guarded<R>(_ empty: R, _ body: () throws -> R) -> R {
    do {
      return try body()
    } catch {
      checkContext()
      graph?.recordFaultFailure(error)
      return empty
    }
  }
}
