/// Where a property of an entity stands: what generated accessors name it by, in place of its name.
///
/// `slot` is the place among the entity's properties and `field` the place among the fields of its row, as
/// `Attribute.slot` and `Attribute.field` tell them.
@frozen
public struct PropertySlot: Sendable, Hashable {
  /// The place among the entity's properties.
  public let slot: Int
  /// The place among the row's fields; -1 for what a row does not hold.
  public let field: Int
  /// The slot's bit in an object's summary of changes; the highest stands for all slots from 31.
  @usableFromInline package let mask: UInt32

  // Inlined, so that a constant of this type costs a client nothing to look up.
  /// Names a place.
  @inlinable
  public init(slot: Int, field: Int) {
    self.slot = slot
    self.field = field
    mask = Self.bit(slot)
  }

  @inlinable
  package static func bit(_ slot: Int) -> UInt32 { slot < 31 ? 1 << UInt32(slot) : 1 << 31 }
}

extension Entity {
  /// Where a property stands; nil when there is none of that name. O(1).
  public func propertySlot(named name: String) -> PropertySlot? {
    switch property(named: name) {
    case .attribute(let attribute)?: PropertySlot(slot: attribute.slot, field: attribute.field)
    case .relationship(let relationship)?: PropertySlot(slot: relationship.slot, field: relationship.field)
    case nil: nil
    }
  }
}
