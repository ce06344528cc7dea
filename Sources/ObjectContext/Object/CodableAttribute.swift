package import Foundation
public import ObjectModel

/// A program's own Codable type as an attribute's value: declare the conformance and nothing else.
///
/// Stored as JSON with sorted keys: as bytes in transformable and binary attributes, as text in
/// string attributes. Predicates look into the bytes: `tags CONTAINS "new"`, `settings.theme ==
/// "dark"`, `points.0.x > 3`. Arrays, dictionaries and sets of Codable values have the same without
/// a declaration.
public protocol CodableAttribute: AttributeConvertible, Codable {}

extension CodableAttribute {
  /// The value as JSON.
  public func attributeValue(for type: AttributeType) -> AttributeValue { CodableCoding.value(self, type) }
  /// What JSON says; nil when it is of another type.
  public init?(attributeValue: AttributeValue) {
    guard let value = CodableCoding.read(Self.self, attributeValue) else { return nil }
    self = value
  }
}

extension Array: AttributeConvertible where Element: Codable {
  /// The elements as JSON.
  public func attributeValue(for type: AttributeType) -> AttributeValue { CodableCoding.value(self, type) }
  /// What a JSON list says; nil when it is of another type.
  public init?(attributeValue: AttributeValue) {
    guard let value = CodableCoding.read(Self.self, attributeValue) else { return nil }
    self = value
  }
}

extension Set: AttributeConvertible where Element: Codable {
  /// The elements as JSON, in no order.
  public func attributeValue(for type: AttributeType) -> AttributeValue { CodableCoding.value(self, type) }
  /// What a JSON list says; nil when it is of another type.
  public init?(attributeValue: AttributeValue) {
    guard let value = CodableCoding.read(Self.self, attributeValue) else { return nil }
    self = value
  }
}

extension Dictionary: AttributeConvertible where Key: Codable, Value: Codable {
  /// The entries as JSON: an object when the keys are text or numbers.
  public func attributeValue(for type: AttributeType) -> AttributeValue { CodableCoding.value(self, type) }
  /// What JSON says; nil when it is of another type.
  public init?(attributeValue: AttributeValue) {
    guard let value = CodableCoding.read(Self.self, attributeValue) else { return nil }
    self = value
  }
}

/// Enumerations with a raw value: `enum Genre: String, AttributeConvertible`.
extension RawRepresentable where Self: AttributeConvertible, RawValue: AttributeConvertible {
  /// The raw value's.
  public func attributeValue(for type: AttributeType) -> AttributeValue {
    rawValue.attributeValue(for: type)
  }
  /// The case of a raw value; nil when there is none.
  public init?(attributeValue: AttributeValue) {
    guard let raw = RawValue(attributeValue: attributeValue) else { return nil }
    self.init(rawValue: raw)
  }
}

/// Codable values as JSON.
package enum CodableCoding {
  package static func data(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
    return try encoder.encode(value)
  }

  package static func read<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: data)
  }

  /// A value that its own coding refuses is of no type, so that setting it throws.
  static func value(_ value: some Encodable, _ type: AttributeType) -> AttributeValue {
    guard let data = try? data(value) else { return .composite([:]) }
    return type == .string ? .string(String(decoding: data, as: UTF8.self)) : .data(data)
  }

  static func read<T: Decodable>(_ type: T.Type, _ value: AttributeValue) -> T? {
    switch value {
    case .data(let data): try? read(type, from: data)
    case .string(let text): try? read(type, from: Data(text.utf8))
    default: nil
    }
  }
}
