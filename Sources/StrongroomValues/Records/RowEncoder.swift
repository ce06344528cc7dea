import ObjectModel
import StoreContract

/// Puts what a record encodes into the fields of a row.
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
    fatalError("\(table.shape.typeName) decodes by keys and encodes without; encode it as it is decoded")
  }
}

private struct RowFieldsEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let table: RecordTable
  let builder: NodeBuilder
  var codingPath: [any CodingKey] { [] }

  private func attribute(_ key: Key) throws -> AttributeDescription {
    if let known = table.attributes[key.stringValue] { return known }
    throw ValuesError(
      .unencodable,
      "\(table.shape.typeName) encodes \(key.stringValue), which it never decodes, so there is no column for it; decode it or"
        + " leave it out")
  }

  func encodeNil(forKey key: Key) throws { builder.setNull(try attribute(key).field) }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    let attribute = try attribute(key)
    let form: AttributeValue
    do { form = try ColumnForm.encode(value) } catch {
      throw ValuesError.coding(.unencodable, "\(table.shape.typeName).\(key.stringValue)", error)
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
      "\(table.shape.typeName) encodes \(name) by a container inside the first, and decodes it otherwise; encode it as it is"
        + " decoded")
  }
}
