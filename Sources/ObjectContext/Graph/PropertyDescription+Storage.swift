import ObjectModel
import StoreContract

extension PropertyDescription {
  /// The place in the stored row; -1 where the row has none.
  var field: Int {
    switch self {
    case .attribute(let attribute): attribute.field
    case .relationship(let relationship): relationship.field
    }
  }

  /// Whether a stored row has it.
  var isStored: Bool { field >= 0 }

  var isTransient: Bool {
    switch self {
    case .attribute(let attribute): attribute.isTransient
    case .relationship(let relationship): relationship.isTransient
    }
  }
}

extension IncrementalStoreNode {
  /// The value of a property; null where the row has none.
  func value(of property: PropertyDescription) -> AttributeValue {
    switch property {
    case .attribute(let attribute): attribute.field < 0 ? .null : value(of: attribute)
    case .relationship(let relationship):
      relationship.field < 0 ? .null : reference(relationship.field).map(AttributeValue.reference) ?? .null
    }
  }
}
