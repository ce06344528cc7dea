import Foundation
import ObjectContext
import ObjectModel

/// How values of one Swift type are turned into an attribute's and back.
final class ValueCoding<Value> {
  let encode: (Value) -> AttributeValue
  /// Nil for a value of another kind.
  let decode: (AttributeValue) -> Value?

  init(encode: @escaping (Value) -> AttributeValue, decode: @escaping (AttributeValue) -> Value?) {
    self.encode = encode
    self.decode = decode
  }
}

/// What attribute a Swift type makes.
struct ValueForm {
  private(set) var type: AttributeType
  private(set) var isOptional = false
  /// A `ValueCoding` of the Swift type.
  private(set) var coding: AnyObject
  private(set) var issue: String?

  init(_ swiftType: Any.Type, transformer: String?, isCodable: Bool = false) {
    if let optional = swiftType as? any AnyOptional.Type {
      self = ValueForm(optional.wrapped, transformer: transformer, isCodable: isCodable)
      isOptional = true
      coding = optional.coding(self)
      return
    }
    if let transformer {
      type = .transformable
      coding = Self.transforming(swiftType, by: transformer)
    } else if isCodable, let codable = swiftType as? any (Codable).Type {
      type = .transformable
      coding = Self.json(codable)
    } else if let known = AttributeType(plain: swiftType),
      let convertible = swiftType as? any AttributeConvertible.Type
    {
      type = known
      coding = Self.converting(convertible, known)
    } else if let raw = swiftType as? any RawRepresentable.Type, let form = Self.raw(raw) {
      self = form
    } else if swiftType == AttributedString.self {
      type = .transformable
      let inner = unsafeDowncast(
        Self.json(StoredAttributedString.self), to: ValueCoding<StoredAttributedString>.self)
      coding = ValueCoding<AttributedString>(
        encode: { inner.encode(StoredAttributedString($0)) }, decode: { inner.decode($0)?.string })
    } else if let codable = swiftType as? any (Codable).Type {
      type = .transformable
      coding = Self.json(codable)
    } else {
      type = .transformable
      coding = Self.refusing(swiftType)
      issue = "its type \(swiftType) is not Codable; conform it, or mark the property @Transient"
    }
  }

  private static func converting<Value: AttributeConvertible>(
    _ swiftType: Value.Type, _ type: AttributeType
  ) -> AnyObject {
    ValueCoding<Value>(
      encode: { $0.attributeValue(for: type) }, decode: { Value(attributeValue: $0) })
  }

  /// Enumerations and other types with a raw value of a plain type; nil where the raw value is of
  /// another.
  private static func raw<Value: RawRepresentable>(_ swiftType: Value.Type) -> ValueForm? {
    guard AttributeType(plain: Value.RawValue.self) != nil else { return nil }
    var form = ValueForm(Value.RawValue.self, transformer: nil)
    let inner = unsafeDowncast(form.coding, to: ValueCoding<Value.RawValue>.self)
    form.coding = ValueCoding<Value>(
      encode: { inner.encode($0.rawValue) }, decode: { inner.decode($0).flatMap { Value(rawValue: $0) } })
    return form
  }

  private static func json<Value: Codable>(_ swiftType: Value.Type) -> AnyObject {
    ValueCoding<Value>(
      encode: { value in
        do { return .data(try CodableCoding.data(value)) } catch {
          preconditionFailure("a \(Value.self) cannot be stored: its own encoding throws \(error)")
        }
      },
      decode: { stored in
        switch stored {
        case .data(let data): try? CodableCoding.read(Value.self, from: data)
        case .string(let text): try? CodableCoding.read(Value.self, from: Data(text.utf8))
        default: nil
        }
      })
  }

  private static func refusing(_ swiftType: Any.Type) -> AnyObject {
    func open<Value>(_ type: Value.Type) -> AnyObject {
      ValueCoding<Value>(encode: { _ in .null }, decode: { _ in nil })
    }
    return _openExistential(swiftType, do: open)
  }

  private static func transforming(_ swiftType: Any.Type, by name: String) -> AnyObject {
    func open<Value>(_ type: Value.Type) -> AnyObject {
      ValueCoding<Value>(
        encode: { value in
          guard let made = ValueTransformer.named(name).stored(value) else { return .null }
          guard let data = made as? Data else {
            preconditionFailure("the transformer \(name) makes no Data of a \(Value.self)")
          }
          return .data(data)
        },
        decode: { stored in
          guard case .data(let data) = stored else { return nil }
          return ValueTransformer.named(name).restored(data) as? Value
        })
    }
    return _openExistential(swiftType, do: open)
  }
}
