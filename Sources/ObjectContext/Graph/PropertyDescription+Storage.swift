import ObjectModel
import StoreContract

extension PropertyDescription {
  /// The field in the stored row; -1 for a property that a row does not store.
  var field: Int {
    switch self {
    case .attribute(let attribute): attribute.field
    case .relationship(let relationship): relationship.field
    }
  }

  /// Whether rows store the property.
  var isStored: Bool { field >= 0 }

  var isTransient: Bool {
    switch self {
    case .attribute(let attribute): attribute.isTransient
    case .relationship(let relationship): relationship.isTransient
    }
  }
}

extension IncrementalStoreNode {
  /// The value of a property; null if rows do not store the property.
  func value(of property: PropertyDescription) -> AttributeValue {
    switch property {
    case .attribute(let attribute): attribute.field < 0 ? .null : value(of: attribute)
    case .relationship(let relationship):
      relationship.field < 0 ? .null : reference(relationship.field).map(AttributeValue.reference) ?? .null
    }
  }
}
