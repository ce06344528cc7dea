public import ObjectModel

/// The value of a property before or after a change.
public enum PersistentHistoryValue: Sendable, Hashable {
  /// An attribute's value; `null` for none.
  case attribute(AttributeValue)
  /// A to-one's destination; nil for none.
  case object(ManagedObjectID?)
  /// Of a to-many that is stored in a join table: before the change the destinations that left it, after the
  /// change those that joined it. Of an ordered one all destinations in their order.
  case objects([ManagedObjectID])
}
