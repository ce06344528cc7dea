import ObjectModel
import StoreContract

/// Encodes a record into the fields of a row.
struct RowEncoder: Encoder {
  let table: RecordTable
  let builder: NodeBuilder
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RowFieldsEncoder(table: table, builder: builder))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { refuse() }
  func singleValueContainer() -> any SingleValueEncodingContainer { refuse() }

  private func refuse() -> Never {
    fatalError(
      "\(table.schema.typeName) decodes by keys and encodes without keys; encode it as it is decoded")
  }
}

private struct RowFieldsEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let table: RecordTable
  let builder: NodeBuilder
  var codingPath: [any CodingKey] { [] }

  private func attribute(_ key: Key) throws -> AttributeDescription {
    if let known = table.attributes[key.stringValue] { return known }
    throw RecordError(
      .unencodable,
      "\(table.schema.typeName) encodes \(key.stringValue), which it never decodes, so there is no column"
        + " for it; decode it, or do not encode it")
  }

  func encodeNil(forKey key: Key) throws { builder.setNull(try attribute(key).field) }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    let attribute = try attribute(key)
    let form: AttributeValue
    do { form = try ColumnForm.encode(value) } catch {
      throw RecordError.coding(.unencodable, "\(table.schema.typeName).\(key.stringValue)", error)
    }
    guard attribute.accepts(form) else { throw StoreError.invalidValue(attribute) }
    try builder.set(attribute, form)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { refuse(key.stringValue) }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { refuse(key.stringValue) }
  func superEncoder() -> any Encoder { refuse("super") }
  func superEncoder(forKey key: Key) -> any Encoder { refuse(key.stringValue) }

  private func refuse(_ name: String) -> Never {
    fatalError(
      "\(table.schema.typeName) encodes \(name) by a container nested in the first, and decodes it otherwise;"
        + " encode it as it is decoded")
  }
}
