public import ObjectContext
public import ObjectModel

/// What an expression of a mapping model evaluates to.
public enum MappingValue {
  /// The value of an attribute; null for nothing.
  case attribute(AttributeValue)
  /// Objects of the old or the new store, in their order.
  case objects([ManagedObject])

  /// The value of an attribute; null for objects.
  public var attributeValue: AttributeValue {
    if case .attribute(let value) = self { return value }
    return .null
  }

  /// The objects; none for the value of an attribute.
  public var managedObjects: [ManagedObject] {
    if case .objects(let objects) = self { return objects }
    return []
  }
}
