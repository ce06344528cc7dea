import Cryptography
import Foundation
import ObjectModel
import StoreContract
import StoreKeyring

/// The keys that seal a store's values, wrapped by the key that the vaults have, and the numbers of the
/// sealed attributes: a row of `_store`, as JSON.
struct SealingRecord: Codable, Sendable, Equatable {
  struct WrappedKey: Codable, Sendable, Equatable {
    let number: UInt32
    var wrapped: Data
  }

  /// The keys that values are sealed with, of which the last one seals new values.
  ///
  /// None is ever removed: values that other programs, copies and the history have stay readable.
  private(set) var dataKeys: [WrappedKey] = []
  /// The key that makes equal values recognisable; it has the number 0 and stays the same.
  private(set) var equalityKey: WrappedKey
  /// By the names of the declaring entity and the attribute; no number is given twice.
  private(set) var attributes: [String: [String: Int64]] = [:]
  private var lastAttribute: Int64 = 0
  /// Shows that the numbers are the store's: by others, values would open as those of another attribute.
  private var signature = Data()

  /// Makes the first keys of a store.
  init(for store: UUID, wrappedBy key: StoreKey) throws {
    let equality = SecretKey.random()
    equalityKey = WrappedKey(number: 0, wrapped: try Self.wrap(equality, 0, store, key))
    signature = try numbersSignature(equality)
    try addDataKey(for: store, wrappedBy: key)
  }

  /// The number of the key that seals new values.
  var current: UInt32 { dataKeys.last?.number ?? 0 }

  // MARK: Keys

  /// Adds a key, which seals the values that are written from now on.
  mutating func addDataKey(for store: UUID, wrappedBy key: StoreKey) throws {
    let number = current + 1
    dataKeys.append(WrappedKey(number: number, wrapped: try Self.wrap(.random(), number, store, key)))
  }

  /// The keys; nil where another key wrapped them.
  /// - Throws: `fileDamaged` where it wrapped some of them only, and where the numbers of the attributes are
  ///   not the store's.
  func keys(for store: UUID, unwrappedBy key: StoreKey) throws -> SealingKeys? {
    guard let equality = try Self.unwrap(equalityKey, store, key) else { return nil }
    guard try numbersSignature(equality) == signature else { throw Self.damage }
    var data: [UInt32: SecretKey] = [:]
    for one in dataKeys { data[one.number] = try Self.unwrap(one, store, key) }
    guard data.count == dataKeys.count, !data.isEmpty else { throw Self.damage }
    return SealingKeys(data: data, current: current, equality: equality, wrapping: key)
  }

  /// The same keys, wrapped by another one.
  func wrapped(by key: StoreKey, for store: UUID, _ keys: SealingKeys) throws -> SealingRecord {
    var record = self
    record.equalityKey.wrapped = try Self.wrap(keys.equality, 0, store, key)
    for place in dataKeys.indices {
      let number = dataKeys[place].number
      guard let one = keys.data[number] else { throw Self.damage }
      record.dataKeys[place].wrapped = try Self.wrap(one, number, store, key)
    }
    return record
  }

  static let damage = StoreError(
    .fileDamaged,
    "the wrapped keys of the store on the server are damaged; restore a copy of the table _store")

  private static func wrap(
    _ key: SecretKey, _ number: UInt32, _ store: UUID, _ wrapping: StoreKey
  ) throws -> Data {
    let cipher = try SealingCipher(wrapping.withUnsafeBytes { SecretKey($0) })
    return try key.withUnsafeBytes { try cipher.seal($0, authenticating: context(number, store)) }
  }

  private static func unwrap(_ key: WrappedKey, _ store: UUID, _ wrapping: StoreKey) throws -> SecretKey? {
    let cipher = try SealingCipher(wrapping.withUnsafeBytes { SecretKey($0) })
    guard var bytes = try cipher.open(key.wrapped, authenticating: context(key.number, store)) else {
      return nil
    }
    defer { bytes.resetBytes(in: bytes.indices) }
    if bytes.count != StoreKey.byteCount { throw damage }
    return bytes.withUnsafeBytes { SecretKey($0) }
  }

  private static func context(_ number: UInt32, _ store: UUID) -> [UInt8] {
    Array("strongroom sealing key".utf8) + withUnsafeBytes(of: store.uuid) { Array($0) }
      + withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  // MARK: Attributes

  /// Gives the sealed attributes of a model their numbers: that of the attribute that each was in the former
  /// version, or a new one.
  mutating func number(
    _ model: ManagedObjectModel, _ keys: SealingKeys,
    _ former: (AttributeDescription) -> AttributeDescription? = { $0 }
  ) throws {
    var numbers: [String: [String: Int64]] = [:]
    for attribute in model.sealedAttributes {
      let known = former(attribute).flatMap { attributes[$0.entity.name]?[$0.name] }
      if known == nil { lastAttribute += 1 }
      numbers[attribute.entity.name, default: [:]][attribute.name] = known ?? lastAttribute
    }
    attributes = numbers
    signature = try numbersSignature(keys.equality)
  }

  private func numbersSignature(_ equality: SecretKey) throws -> Data {
    let encoded = try JSONEncoder.sorted.encode(attributes)
    let code = try MessageAuthenticator(.sha256, key: equality)
    let purpose = Array("strongroom numbers of sealed attributes".utf8)
    return try purpose.withUnsafeBytes { purpose in
      try encoded.withUnsafeBytes { Data(try code.code(of: purpose, $0)) }
    }
  }
}

/// The keys that seal a store's values.
struct SealingKeys: Sendable {
  let data: [UInt32: SecretKey]
  /// The number of the one that seals new values.
  let current: UInt32
  let equality: SecretKey
  /// The key of the vaults.
  let wrapping: StoreKey
}

extension ManagedObjectModel {
  /// The attributes whose values are sealed, each once, by the names of their entities and their own.
  var sealedAttributes: [AttributeDescription] {
    entities.flatMap { entity in
      entity.attributes.filter { $0.entity === entity && $0.sealing != nil && $0.field >= 0 }
    }.sorted { ($0.entity.name, $0.name) < ($1.entity.name, $1.name) }
  }
}
