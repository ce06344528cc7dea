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
  @exclusivity(unchecked) fileprivate var row: RowCursor
  @exclusivity(unchecked) fileprivate var finder: ColumnFinder
  /// Where the table's columns stand in the row.
  private let places: [Int]
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ table: RecordTable, _ row: RowCursor, places: [Int]) {
    self.table = table
    self.row = row
    self.places = places
    finder = ColumnFinder(table)
  }

  /// Leaves the row, whose memory others use from now on: what is still asked of it is missing.
  func stop() { finder.stop() }

  /// Goes on to another row.
  func start(_ row: RowCursor) {
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

  /// Where the column of a name stands.
  @inline(__always)
  fileprivate func place(_ name: String) -> Int? { finder.column(name).map { places[$0] } }

  /// The same for a column of a type with a value; nil where the general way has to find out what to
  /// do.
  @inline(__always)
  fileprivate func place(_ name: String, _ type: AttributeType) -> Int? {
    guard let place = place(name), row.type(place) == type, !row.isNull(place) else { return nil }
    return place
  }

  @inline(__always)
  fileprivate func isMissing(_ name: String) -> Bool { place(name).map(row.isNull) ?? true }
}

private struct RowFieldsDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RowDecoder
  var codingPath: [any CodingKey] { [] }

  private var table: RecordTable { decoder.table }
  private var row: RowCursor { decoder.row }

  var allKeys: [Key] {
    table.names.filter { !decoder.isMissing($0) }.compactMap(Key.init)
  }

  func contains(_ key: Key) -> Bool { table.ordinals[key.stringValue] != nil }

  func decodeNil(forKey key: Key) -> Bool { decoder.isMissing(key.stringValue) }

  // MARK: Plain types, which need no form in between

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    guard let place = decoder.place(key.stringValue, .string) else { return try general(type, key) }
    return row.string(place)
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    guard let place = decoder.place(key.stringValue, .integer64) else { return try general(type, key) }
    return Int(row.integer(place))
  }

  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    guard let place = decoder.place(key.stringValue, .integer64) else { return try general(type, key) }
    return row.integer(place)
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    guard let place = decoder.place(key.stringValue, .double) else { return try general(type, key) }
    return row.double(place)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    guard let place = decoder.place(key.stringValue, .boolean) else { return try general(type, key) }
    return row.integer(place) != 0
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
    if type == Date.self, let place = decoder.place(key.stringValue, .date) {
      return unsafeBitCast(Date(timeIntervalSinceReferenceDate: row.double(place)), to: type)
    }
    if type == Data.self, let place = decoder.place(key.stringValue, .binary) {
      return unsafeBitCast(row.data(place), to: type)
    }
    return try general(type, key)
  }

  // MARK: Any type

  private func general<Value: Decodable>(_ type: Value.Type, _ key: Key) throws -> Value {
    guard let place = decoder.place(key.stringValue) else {
      throw DecodingError.keyNotFound(key, .init(codingPath: [], debugDescription: "no such column"))
    }
    if let optional = type as? any OptionalType.Type {
      if let value = try inner(optional.wrapped, place, key) as Any as? Value { return value }
    }
    guard !row.isNull(place) else {
      throw DecodingError.valueNotFound(type, .init(codingPath: [key], debugDescription: "null"))
    }
    return try value(type, place, key)
  }

  private func value<Value: Decodable>(_ type: Value.Type, _ place: Int, _ key: Key) throws -> Value {
    let stored = row.value(place)
    do {
      if let made = try ColumnForm.decode(type, stored) { return made }
    } catch {
      throw RecordError.coding(.undecodable, "\(table.schema.typeName).\(key.stringValue)", error)
    }
    throw RecordError(
      .undecodable, "\(table.schema.typeName).\(key.stringValue): the stored value is no \(type)")
  }

  private func inner(_ type: Any.Type, _ place: Int, _ key: Key) throws -> Any? {
    guard !row.isNull(place), let type = type as? any Decodable.Type else { return nil }
    return try value(type, place, key)
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
