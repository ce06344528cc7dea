import Foundation
import ObjectModel

extension ManagedObject {
  /// The value of a transformable attribute, made by the transformer that the model names; where it
  /// names none, or the editor's own archiver, what the stored JSON says.
  ///
  /// Nil when null. Fires the fault.
  /// - Throws: `noTransformer` when the transformer is not registered, `wrongType` when the value
  ///   is of another type, and what the transformer throws.
  public final func transformed<T>(_ name: String, as type: T.Type = T.self) throws -> T? {
    let attribute = try transformable(name)
    guard case .data(let data) = try value(forKey: name) else { return nil }
    let made: Any
    if let transformer = try transformer(of: attribute) {
      made = try transformer.read(data)
    } else {
      guard let codable = T.self as? any Decodable.Type else { throw uncodable(attribute, T.self) }
      made = try CodableCoding.read(codable, from: data)
    }
    guard let value = made as? T else {
      throw ContextError(.wrongType, "\(entity.name).\(name) cannot be read as \(T.self)")
    }
    return value
  }

  /// Sets a transformable attribute to what its transformer makes of a value; nil clears it.
  /// - Throws: as `transformed(_:as:)`.
  public final func setTransformed<T>(_ value: T?, forKey name: String) throws {
    let attribute = try transformable(name)
    guard let value else { return try setValue(.null, forKey: name) }
    if let transformer = try transformer(of: attribute) {
      guard let data = try transformer.write(value) else {
        throw ContextError(.wrongType, "the transformer of \(entity.name).\(name) does not accept \(T.self)")
      }
      return try setValue(.data(data), forKey: name)
    }
    guard let codable = value as? any Encodable else { throw uncodable(attribute, T.self) }
    try setValue(.data(CodableCoding.data(codable)), forKey: name)
  }

  private func transformable(_ name: String) throws(ContextError) -> AttributeDescription {
    let attribute = try attribute(name)
    guard attribute.type == .transformable else {
      throw ContextError(.wrongType, "\(entity.name).\(name) is not transformable")
    }
    return attribute
  }

  /// Nil for an attribute that takes Codable values.
  private func transformer(
    of attribute: AttributeDescription
  ) throws -> (read: AttributeTransformers.Read, write: AttributeTransformers.Write)? {
    let name = attribute.declaration.valueTransformerName
    if let known = name.flatMap({ AttributeTransformers[$0] }) { return known }
    if !attribute.isOpaque { return nil }
    throw ContextError(
      .noTransformer,
      "the model names the transformer \(name ?? "") for \(entity.name).\(attribute.name); register one of"
        + " that name"
    )
  }

  private func uncodable(_ attribute: AttributeDescription, _ type: Any.Type) -> ContextError {
    ContextError(
      .noTransformer,
      "\(type) is not Codable, and the model names no transformer for \(entity.name).\(attribute.name)")
  }
}
