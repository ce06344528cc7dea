import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

/// Decodes records from rows, one after the other.
final class RowDecoder<Source: RowSource>: Decoder {
  let table: RecordTable
  /// The row that is decoded now.
  private(set) var row: Source
  fileprivate var finder: ColumnFinder
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ table: RecordTable, _ row: Source) {
    self.table = table
    self.row = row
    finder = ColumnFinder(table)
  }

  /// Leaves the row, whose memory others use from now on: what is still asked of it is missing.
  func stop() { finder.stop() }

  /// Goes on to another row.
  func start(_ row: Source) {
    self.row = row
    finder.start()
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowFieldsDecoder(decoder: self))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw refusal }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw refusal }

  private var refusal: RecordError {
    RecordError(.undecodable, "\(table.schema.typeName) can only be decoded by keys")
  }
}

private struct RowFieldsDecoder<Key: CodingKey, Source: RowSource>: KeyedDecodingContainerProtocol {
  let decoder: RowDecoder<Source>
  var codingPath: [any CodingKey] { [] }

  private var table: RecordTable { decoder.table }
  private var row: Source { decoder.row }

  var allKeys: [Key] {
    table.columns.map(\.name).filter { name in decoder.finder.column(name).map { !row.isNull($0) } ?? false }
      .compactMap(Key.init)
  }

  func contains(_ key: Key) -> Bool { table.ordinals[key.stringValue] != nil }

  func decodeNil(forKey key: Key) -> Bool { decoder.finder.column(key.stringValue).map(row.isNull) ?? true }

  // MARK: Plain types, which need no form in between

  /// The column of a key, if it has a type; nil where the general way has to find out what to do.
  @inline(__always)
  private func column(_ key: Key, _ type: AttributeType) -> Int? {
    guard let column = decoder.finder.column(key.stringValue), table.columns[column].type == type,
      !row.isNull(column)
    else { return nil }
    return column
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    guard let column = column(key, .string) else { return try general(type, key) }
    return row.string(column)
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    guard let column = column(key, .integer64) else { return try general(type, key) }
    return Int(row.integer(column))
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    guard let column = column(key, .integer64) else { return try general(type, key) }
    return row.integer(column)
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    guard let column = column(key, .double) else { return try general(type, key) }
    return row.double(column)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    guard let column = column(key, .boolean) else { return try general(type, key) }
    return row.integer(column) != 0
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    isMissing(key) ? nil : try decode(type, forKey: key)
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    isMissing(key) ? nil : try decode(type, forKey: key)
  }

  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    isMissing(key) ? nil : try decode(type, forKey: key)
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    isMissing(key) ? nil : try decode(type, forKey: key)
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    isMissing(key) ? nil : try decode(type, forKey: key)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    isMissing(key) ? nil : try decode(type, forKey: key)
  }

  private func isMissing(_ key: Key) -> Bool {
    decoder.finder.column(key.stringValue).map(row.isNull) ?? true
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    if type == Date.self, let column = column(key, .date) {
      return unsafeBitCast(Date(timeIntervalSinceReferenceDate: row.double(column)), to: type)
    }
    if type == Data.self, let column = column(key, .binary) {
      return unsafeBitCast(row.data(column), to: type)
    }
    return try general(type, key)
  }

  // MARK: Any type

  private func general<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
    guard let column = decoder.finder.column(key.stringValue) else {
      throw DecodingError.keyNotFound(key, .init(codingPath: [], debugDescription: "no such column"))
    }
    if let optional = type as? any OptionalType.Type {
      if let value = try inner(optional.wrapped, column, key) as Any as? Value { return value }
    }
    guard !row.isNull(column) else {
      throw DecodingError.valueNotFound(type, .init(codingPath: [key], debugDescription: "null"))
    }
    return try value(type, column, key)
  }

  private func value<Value: Decodable>(_ type: Value.Type, _ column: Int, _ key: Key) throws -> Value {
    let stored = row.value(column)
    do {
      if let made = try ColumnForm.decode(type, stored) { return made }
    } catch {
      throw RecordError.coding(.undecodable, "\(table.schema.typeName).\(key.stringValue)", error)
    }
    throw RecordError(
      .undecodable, "\(table.schema.typeName).\(key.stringValue): the stored value is no \(type)")
  }

  private func inner(_ type: Any.Type, _ column: Int, _ key: Key) throws -> Any? {
    guard !row.isNull(column), let type = type as? any Decodable.Type else { return nil }
    return try value(type, column, key)
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
