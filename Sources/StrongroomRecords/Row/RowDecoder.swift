import ObjectModel
import ObjectQuery
import StoreContract

/// Decodes a record from a row.
struct RowDecoder: Decoder {
  let table: RecordTable
  let node: IncrementalStoreNode
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowFieldsDecoder(table: table, node: node))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw refusal }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw refusal }

  private var refusal: RecordError {
    RecordError(.undecodable, "\(table.schema.typeName) can only be decoded by keys")
  }
}

private struct RowFieldsDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let table: RecordTable
  let node: IncrementalStoreNode
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] {
    table.attributes.values.filter { !node.isNull($0.field) }.compactMap { Key(stringValue: $0.name) }
  }

  func contains(_ key: Key) -> Bool { table.attributes[key.stringValue] != nil }

  func decodeNil(forKey key: Key) -> Bool {
    table.attributes[key.stringValue].map { node.isNull($0.field) } ?? true
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    guard let attribute = table.attributes[key.stringValue] else {
      throw DecodingError.keyNotFound(key, .init(codingPath: [], debugDescription: "no such column"))
    }
    if let optional = type as? any OptionalType.Type {
      if let value = try inner(optional.wrapped, attribute, key) as Any as? Value { return value }
    }
    guard !node.isNull(attribute.field) else {
      throw DecodingError.valueNotFound(type, .init(codingPath: [key], debugDescription: "null"))
    }
    return try value(type, attribute, key)
  }

  private func value<Value: Decodable>(
    _ type: Value.Type, _ attribute: AttributeDescription, _ key: Key
  ) throws -> Value {
    let what = "\(table.schema.typeName).\(key.stringValue)"
    do {
      if let made = try ColumnForm.decode(type, node.value(of: attribute)) { return made }
    } catch {
      throw RecordError.coding(.undecodable, what, error)
    }
    throw RecordError(.undecodable, "\(what): the stored value is no \(type)")
  }

  private func inner(_ type: Any.Type, _ attribute: AttributeDescription, _ key: Key) throws -> Any? {
    guard !node.isNull(attribute.field), let type = type as? any Decodable.Type else { return nil }
    return try value(type, attribute, key)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw refusal(key) }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw refusal(key) }
  func superDecoder() throws -> any Decoder { throw refusal(nil) }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw refusal(key) }

  private func refusal(_ key: Key?) -> RecordError {
    RecordError(
      .undecodable,
      "\(table.schema.typeName).\(key?.stringValue ?? "super") is decoded by a container nested in the first")
  }
}
