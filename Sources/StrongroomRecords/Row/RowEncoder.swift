import Foundation
import ObjectModel
import StoreContract

/// Encodes a record into the fields of a row.
final class RowEncoder: Encoder {
  let table: RecordTable
  let builder: NodeBuilder
  @exclusivity(unchecked) fileprivate var finder: ColumnFinder
  /// Whether the row is finished; containers that a value keeps must not write into the next one.
  private var isFinished = false
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(table: RecordTable, builder: NodeBuilder) {
    self.table = table
    self.builder = builder
    finder = ColumnFinder(table)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RowFieldsEncoder(encoder: self))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { refuse() }
  func singleValueContainer() -> any SingleValueEncodingContainer { refuse() }

  func finish() { isFinished = true }

  fileprivate func attribute(_ name: String) throws -> AttributeDescription {
    if isFinished {
      throw RecordError(
        .unencodable,
        "a container of \(table.schema.typeName) was used after its value was encoded; use it in encode(to:)"
          + " only")
    }
    if let column = finder.column(name) { return table.columns[column] }
    throw RecordError(
      .unencodable,
      "\(table.schema.typeName) encodes \(name), which it never decodes, so there is no column for it;"
        + " decode it, or do not encode it")
  }

  private func refuse() -> Never {
    fatalError(
      "\(table.schema.typeName) decodes by keys and encodes without keys; encode it as it is decoded")
  }
}

private struct RowFieldsEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: RowEncoder
  var codingPath: [any CodingKey] { [] }

  private var table: RecordTable { encoder.table }
  private var builder: NodeBuilder { encoder.builder }

  private func attribute(_ key: Key) throws -> AttributeDescription { try encoder.attribute(key.stringValue) }

  func encodeNil(forKey key: Key) throws { builder.setNull(try attribute(key).field) }

  // MARK: Plain types, which need no form in between

  func encode(_ value: String, forKey key: Key) throws {
    let attribute = try attribute(key)
    guard attribute.type == .string else { return try general(value, attribute, key) }
    try builder.set(attribute, .string(value))
  }

  func encode(_ value: Int, forKey key: Key) throws { try encode(Int64(value), forKey: key) }

  func encode(_ value: Int64, forKey key: Key) throws {
    let attribute = try attribute(key)
    guard attribute.type == .integer64 else { return try general(value, attribute, key) }
    builder.set(attribute.field, integer: value)
  }

  func encode(_ value: Double, forKey key: Key) throws {
    let attribute = try attribute(key)
    guard attribute.type == .double else { return try general(value, attribute, key) }
    try builder.set(attribute, .double(value))
  }

  func encode(_ value: Bool, forKey key: Key) throws {
    let attribute = try attribute(key)
    guard attribute.type == .boolean else { return try general(value, attribute, key) }
    builder.set(attribute.field, integer: value ? 1 : 0)
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    let attribute = try attribute(key)
    if Value.self == Data.self, attribute.type == .binary {
      unsafeBitCast(value, to: Data.self).withUnsafeBytes { builder.set(attribute.field, bytes: $0) }
    } else if Value.self == Date.self, attribute.type == .date {
      try builder.set(attribute, .date(unsafeBitCast(value, to: Date.self)))
    } else {
      try general(value, attribute, key)
    }
  }

  // MARK: Any type

  private func general<Value: Encodable>(
    _ value: Value, _ attribute: AttributeDescription, _ key: Key
  ) throws {
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
