import Foundation
import ObjectModel
import StoreContract

extension PropertySchema {
  /// How values are turned into this property's that an imported store has as SwiftData stores them;
  /// nil where the property's own coding reads them.
  ///
  /// A Codable structure or enumeration is a composite there, a list of Codable values is bytes.
  func conversion(from old: AttributeDescription, to new: AttributeDescription) -> ValueConversions
    .Conversion?
  {
    guard case .attribute(_, let isOptional) = kind, attribute?.isTransformable != true, issue == nil,
      isForeign(old, new)
    else { return nil }
    func open<Value>(_ type: Value.Type) -> ValueConversions.Conversion? {
      guard let known = unwrapped as? any Decodable.Type else { return nil }
      // Types never change.
      nonisolated(unsafe) let decodable = known
      return { stored in
        if stored.isNull, isOptional || old.type != .composite { return .null }
        let decoded = try StoredValueDecoder.value(decodable, of: old, stored)
        guard let value = decoded as? Value else {
          throw ValueConversionError("its values are no \(decodable)")
        }
        return self.coding(of: Value.self).encode(value)
      }
    }
    return _openExistential(valueType, do: open)
  }

  /// Whether an attribute has a form that SwiftData gives its values and this layer does not.
  private func isForeign(_ old: AttributeDescription, _ new: AttributeDescription) -> Bool {
    switch old.type {
    case .composite: true
    case .binary: new.type != .binary
    // Only an archived model names the class of the values.
    case .transformable:
      new.type == .transformable && !old.isOpaque && old.declaration.attributeValueClassName != nil
    default: false
    }
  }

  private var unwrapped: Any.Type {
    var type = valueType
    while let optional = type as? any AnyOptional.Type { type = optional.wrapped }
    return type
  }
}

extension Schema {
  /// How values of an imported store become those of the schema's classes.
  ///
  /// - `source`: The only version of the model whose values are converted; nil for any.
  func conversions(of source: ManagedObjectModel? = nil) -> ValueConversions {
    let known = Dictionary(entityNames.map { ($0, shape(named: $0)) }) { first, _ in first }
    return ValueConversions(of: source) { old, new in
      let property = known[new.entity.name]??.own.first { $0.name == new.name }
      return property?.conversion(from: old, to: new)
    }
  }
}
