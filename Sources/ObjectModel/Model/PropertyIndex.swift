/// The index of a property of an entity: generated accessors use it in place of the name.
///
/// `index` is the index in the entity's properties and `field` the index in the fields of its row,
/// as in `AttributeDescription`.
@frozen
public struct PropertyIndex: Sendable, Hashable {
  /// The index in the entity's properties.
  public let index: Int
  /// The index in the row's fields; -1 for a property that a row does not store.
  public let field: Int
  /// The property index's bit in an object's summary of changes; the highest stands for all
  /// property indexes from 31.
  @usableFromInline package let mask: UInt32

  // Inlined, so that a constant of this type costs a client nothing to look up.
  /// Creates an index.
  @inlinable
  public init(index: Int, field: Int) {
    self.index = index
    self.field = field
    mask = Self.bit(index)
  }

  @inlinable
  package static func bit(_ index: Int) -> UInt32 { index < 31 ? 1 << UInt32(index) : 1 << 31 }
}

extension EntityDescription {
  /// Where a property stands; nil when there is none of that name.
  ///
  /// O(1).
  public func propertyIndex(named name: String) -> PropertyIndex? {
    switch property(named: name) {
    case .attribute(let attribute)?: PropertyIndex(index: attribute.index, field: attribute.field)
    case .relationship(let relationship)?: PropertyIndex(index: relationship.index, field: relationship.field)
    case nil: nil
    }
  }
}
