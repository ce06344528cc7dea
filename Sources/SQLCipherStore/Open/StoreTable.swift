import CipherDatabase
import Foundation
import ObjectModel
import StoreContract

/// The table `_store`, by which a store describes itself: format version, model, hashes, entity numbers, metadata.
struct StoreTable {
  static let format: Int64 = 1
  /// What `PRAGMA application_id` answers: "Strm".
  static let applicationID = 0x5374_726D

  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func create(model: ManagedObjectModel, entityNumbers: [Int64]) throws {
    try connection.execute(
      """
      CREATE TABLE _store (key TEXT PRIMARY KEY NOT NULL, value NOT NULL) WITHOUT ROWID;
      CREATE TABLE _sequence (entity INTEGER PRIMARY KEY NOT NULL, last INTEGER NOT NULL);
      PRAGMA application_id = \(Self.applicationID);
      PRAGMA user_version = \(Self.format);
      """)
    try write("format", String(Self.format))
    try write(model: model, entityNumbers: entityNumbers)
    try write("metadata", "{}")
  }

  func write(model: ManagedObjectModel, entityNumbers: [Int64]) throws {
    let numbers = Dictionary(uniqueKeysWithValues: zip(model.entities.map(\.name), entityNumbers))
    try write("model", String(decoding: model.jsonData(), as: UTF8.self))
    try write("model_hash", model.versionHash.hex)
    try write("entities", String(decoding: JSONEncoder.sorted.encode(numbers), as: UTF8.self))
  }

  /// The version hashes of the models that the store was moved on from.
  func formerHashes() throws -> [String] {
    guard let text = try read("former_hashes") else { return [] }
    return text.split(separator: " ").map(String.init)
  }

  /// Notes that the store is moved on from the model it has, to another one.
  func noteFormerHash(movingTo model: ManagedObjectModel) throws {
    guard let hash = try read("model_hash") else { return }
    let others = try formerHashes().filter { $0 != hash && $0 != model.versionHash.hex }
    try write("former_hashes", (others + [hash]).joined(separator: " "))
  }

  func write(metadata: [String: String]) throws {
    try write("metadata", String(decoding: JSONEncoder.sorted.encode(metadata), as: UTF8.self))
  }

  /// Writes something that nobody reads; another thing each time, since the library leaves out a write of what is there.
  func touch() throws { try write("settled", UUID().uuidString) }

  private func write(_ key: String, _ value: String) throws {
    let statement = try connection.cached("INSERT OR REPLACE INTO _store (key, value) VALUES (?1, ?2)")
    statement.bind(1, key)
    statement.bind(2, value)
    try statement.run()
  }

  /// - Throws: `modelMismatch` when the file is a database of something else.
  func checkIsStore() throws {
    if try connection.text("SELECT 1 FROM sqlite_master WHERE name = '_store'") == nil {
      throw StoreError(.modelMismatch, "the file opens with its key but is no Strongroom store")
    }
  }

  func read(_ key: String) throws -> String? {
    let statement = try connection.cached("SELECT value FROM _store WHERE key = ?1")
    statement.bind(1, key)
    defer { statement.reset() }
    return try statement.step() ? statement.text(0) : nil
  }

  /// What a store says of itself on opening.
  struct Contents {
    var entityNumbers: [Int64]
    var metadata: [String: String]
  }

  /// What the store says, or nil when it was made with another version of the model.
  func contents(_ model: ManagedObjectModel) throws -> Contents? {
    try checkIsStore()
    guard let format = try read("format").flatMap({ Int64($0) }) else {
      throw StoreError(.modelMismatch, "the file opens with its key but is no Strongroom store")
    }
    guard format <= Self.format else {
      throw StoreError(
        .newerFormat,
        "the store has format \(format) and this version knows \(Self.format); update the program")
    }
    guard try read("model_hash") == model.versionHash.hex else { return nil }
    let metadata = try JSONDecoder().decode(
      [String: String].self, from: Data((try read("metadata") ?? "{}").utf8))
    return Contents(entityNumbers: try entityNumbers(model), metadata: metadata)
  }

  /// The model that the store describes itself with.
  func model() throws -> ManagedObjectModel {
    try checkIsStore()
    guard let json = try read("model") else {
      throw StoreError(.modelMismatch, "the file opens with its key but is no Strongroom store")
    }
    return try ManagedObjectModel(jsonData: Data(json.utf8))
  }

  func entityNumbers(_ model: ManagedObjectModel) throws -> [Int64] {
    let numbers = try JSONDecoder().decode(
      [String: Int64].self, from: Data((try read("entities") ?? "{}").utf8))
    return try model.entities.map { entity in
      guard let number = numbers[entity.name] else {
        throw StoreError(.modelMismatch, "the store knows no entity \(entity.name)")
      }
      return number
    }
  }
}

extension JSONEncoder {
  static var sorted: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return encoder
  }
}

extension Data {
  var hex: String {
    map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
  }
}
