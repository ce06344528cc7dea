import Foundation
import StrongroomData

// A row by the names of its columns, as what a snapshot encodes itself into and is decoded from.

struct SQLiteRow {
  var values: [String: SQLiteValue] = [:]
  var identifier: PersistentIdentifier
  var toOnes: [String: PersistentIdentifier] = [:]
  var toManys: [String: [PersistentIdentifier]] = [:]
}

/// Makes a row of a snapshot.
final class SQLiteRowEncoder: Encoder {
  private(set) var row: SQLiteRow
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ snapshot: DefaultSnapshot) throws {
    row = SQLiteRow(identifier: snapshot.persistentIdentifier)
    try snapshot.encode(to: self)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Columns<Key>(encoder: self))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { fatalError("a snapshot has names") }
  func singleValueContainer() -> any SingleValueEncodingContainer { fatalError("a snapshot has names") }

  private struct Columns<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: SQLiteRowEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { encoder.row.values[key.stringValue] = .null }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      switch value {
      case let identifier as PersistentIdentifier:
        if DataStoreSnapshotCodingKey(stringValue: key.stringValue)?.isIdentifier == true { return }
        encoder.row.toOnes[key.stringValue] = identifier
      case is [PersistentIdentifier] where T.self == [PersistentIdentifier].self:
        guard let identifiers = value as? [PersistentIdentifier] else { return }
        encoder.row.toManys[key.stringValue] = identifiers
      default: encoder.row.values[key.stringValue] = try SQLiteValue(value)
      }
    }
    func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: Key) -> KeyedEncodingContainer<N> {
      fatalError("a snapshot is flat")
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { fatalError("flat") }
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }
  }
}

extension DataStoreSnapshotCodingKey {
  fileprivate var isIdentifier: Bool { if case .persistentIdentifier = self { true } else { false } }
}

/// Makes a snapshot of a row.
struct SQLiteRowDecoder: Decoder {
  let row: SQLiteRow
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Columns<Key>(row: row))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw DataStoreError.unsupportedFeature }
  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw DataStoreError.unsupportedFeature
  }

  private struct Columns<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let row: SQLiteRow
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { row.values.keys.compactMap(Key.init(stringValue:)) }

    private func value(_ key: Key) -> Any? {
      if key.stringValue == "persistentIdentifier" { return row.identifier }
      if let identifier = row.toOnes[key.stringValue] { return identifier }
      return row.toManys[key.stringValue].map { $0 as Any }
    }

    func contains(_ key: Key) -> Bool { value(key) != nil || row.values[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool {
      value(key) == nil && row.values[key.stringValue] ?? .null == .null
    }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      if let value = value(key), let value = value as? T { return value }
      if let value = try row.values[key.stringValue]?.value(type) { return value }
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "the column is no \(type)")
    }
    func nestedContainer<N: CodingKey>(
      keyedBy type: N.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<N> { throw DataStoreError.unsupportedFeature }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw DataStoreError.unsupportedFeature
    }
    func superDecoder() throws -> any Decoder { throw DataStoreError.unsupportedFeature }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw DataStoreError.unsupportedFeature }
  }
}
