import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery

/// How values of Swift types are stored in columns: plain types as the engine's own, raw values as
/// their raw type, everything else as JSON.
enum ColumnForm {
  /// The attribute type of a Swift type; an optional's is that of what it wraps.
  static func type(of swiftType: Any.Type) -> AttributeType {
    if let optional = swiftType as? any OptionalType.Type { return type(of: optional.wrapped) }
    if let known = AttributeType(plain: swiftType) { return known }
    if let raw = swiftType as? any RawRepresentable.Type { return plainRaw(raw) ?? .transformable }
    return .transformable
  }

  private static func plainRaw<Raw: RawRepresentable>(_ type: Raw.Type) -> AttributeType? {
    AttributeType(plain: Raw.RawValue.self)
  }

  /// The stored form of a value.
  /// - Throws: what its own encoding throws.
  static func encode<Value: Encodable>(_ value: Value) throws -> AttributeValue {
    // What most keys are, without a search for their conformances.
    if Value.self == String.self { return .string(unsafeBitCast(value, to: String.self)) }
    if Value.self == Int.self { return .integer(Int64(unsafeBitCast(value, to: Int.self))) }
    if Value.self == UUID.self { return .uuid(unsafeBitCast(value, to: UUID.self)) }
    if let optional = value as? any OptionalType {
      guard let present = optional.wrappedValue as? any Encodable else { return .null }
      return try encode(present)
    }
    if let known = AttributeType(plain: Value.self) { return plain(value, known) }
    if let raw = value as? any RawRepresentable, let form = encodeRaw(raw) { return form }
    return .data(try CodableCoding.data(value))
  }

  private static func plain(_ value: Any, _ type: AttributeType) -> AttributeValue {
    (value as? any AttributeConvertible)?.attributeValue(for: type) ?? .null
  }

  private static func encodeRaw<Raw: RawRepresentable>(_ value: Raw) -> AttributeValue? {
    AttributeType(plain: Raw.RawValue.self).map { plain(value.rawValue, $0) }
  }

  /// The value of a stored form; nil when it is of another type.
  /// - Throws: what the type's own decoding throws.
  static func decode<Value: Decodable>(_ type: Value.Type, _ stored: AttributeValue) throws -> Value? {
    if AttributeType(plain: type) != nil { return plain(type, stored) }
    if let raw = type as? any RawRepresentable.Type, plainRaw(raw) != nil {
      return decodeRaw(raw, stored) as? Value
    }
    switch stored {
    case .data(let data): return try CodableCoding.read(type, from: data)
    case .string(let text): return try CodableCoding.read(type, from: Data(text.utf8))
    default: return nil
    }
  }

  private static func plain<Value>(_ type: Value.Type, _ stored: AttributeValue) -> Value? {
    (type as? any AttributeConvertible.Type)?.init(attributeValue: stored) as? Value
  }

  private static func decodeRaw<Raw: RawRepresentable>(_ type: Raw.Type, _ stored: AttributeValue) -> Any? {
    plain(Raw.RawValue.self, stored).flatMap { Raw(rawValue: $0) }
  }
}
