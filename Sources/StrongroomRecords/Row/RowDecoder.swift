import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

/// Decodes records from rows, one after the other.
///
/// Not generic, and its state is not checked at each access, since what a program decodes by its
/// own keys runs unspecialized.
final class RowDecoder: Decoder {
  let table: RecordTable
  /// The row that is decoded now.
  @exclusivity(unchecked) fileprivate var row: DecodedRow
  @exclusivity(unchecked) fileprivate var finder: ColumnFinder
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ table: RecordTable, _ row: DecodedRow) {
    self.table = table
    self.row = row
    finder = ColumnFinder(table)
  }

  /// Leaves the row, whose memory others use from now on: what is still asked of it is missing.
  func stop() { finder.stop() }

  /// Goes on to another row.
  func start(_ row: DecodedRow) {
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

  /// The column of a name, if it has a type; nil where the general way has to find out what to do.
  fileprivate func column(_ name: String, _ type: AttributeType) -> Int? {
    guard let column = finder.column(name), table.types[column] == type, !row.isNull(column) else {
      return nil
    }
    return column
  }

  fileprivate func isMissing(_ name: String) -> Bool { finder.column(name).map(row.isNull) ?? true }
}

private struct RowFieldsDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RowDecoder
  var codingPath: [any CodingKey] { [] }

  private var table: RecordTable { decoder.table }
  private var row: DecodedRow { decoder.row }

  var allKeys: [Key] {
    table.names.filter { name in decoder.finder.column(name).map { !row.isNull($0) } ?? false }
      .compactMap(Key.init)
  }

  func contains(_ key: Key) -> Bool { table.ordinals[key.stringValue] != nil }

  func decodeNil(forKey key: Key) -> Bool { decoder.isMissing(key.stringValue) }

  // MARK: Plain types, which need no form in between

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    guard let column = decoder.column(key.stringValue, .string) else { return try general(type, key) }
    return row.string(column)
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    guard let column = decoder.column(key.stringValue, .integer64) else { return try general(type, key) }
    return Int(row.integer(column))
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    guard let column = decoder.column(key.stringValue, .integer64) else { return try general(type, key) }
    return row.integer(column)
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    guard let column = decoder.column(key.stringValue, .double) else { return try general(type, key) }
    return row.double(column)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    guard let column = decoder.column(key.stringValue, .boolean) else { return try general(type, key) }
    return row.integer(column) != 0
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    decoder.isMissing(key.stringValue) ? nil : try decode(type, forKey: key)
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    decoder.isMissing(key.stringValue) ? nil : try decode(type, forKey: key)
  }

  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    decoder.isMissing(key.stringValue) ? nil : try decode(type, forKey: key)
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    decoder.isMissing(key.stringValue) ? nil : try decode(type, forKey: key)
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    decoder.isMissing(key.stringValue) ? nil : try decode(type, forKey: key)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    decoder.isMissing(key.stringValue) ? nil : try decode(type, forKey: key)
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    if type == Date.self, let column = decoder.column(key.stringValue, .date) {
      return unsafeBitCast(Date(timeIntervalSinceReferenceDate: row.double(column)), to: type)
    }
    if type == Data.self, let column = decoder.column(key.stringValue, .binary) {
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
