import CipherDatabase
import Foundation
import ObjectModel
import StoreContract

/// The table `_store`, by which a store describes itself: format version, model, hashes, entity
/// numbers, metadata.
struct StoreTable {
  static let format: Int64 = 1
  /// What `PRAGMA application_id` answers: "Strm".
  static let applicationID = 0x5374_726D

  /// The tables that every store has besides those of its model.
  static let creation =
    [
      "CREATE TABLE _store (key TEXT PRIMARY KEY NOT NULL, value NOT NULL) WITHOUT ROWID",
      "CREATE TABLE _sequence (entity INTEGER PRIMARY KEY NOT NULL, last INTEGER NOT NULL)",
    ] + HistorySchema.creation

  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func create(model: ManagedObjectModel, entityNumbers: [Int64]) throws {
    try connection.execute(
      """
      \(Self.creation.joined(separator: ";\n"));
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
  func recordFormerHash(movingTo model: ManagedObjectModel) throws {
    guard let hash = try read("model_hash") else { return }
    let others = try formerHashes().filter { $0 != hash && $0 != model.versionHash.hex }
    try write("former_hashes", (others + [hash]).joined(separator: " "))
  }

  /// Takes over what another store's table says beside its model, from which this store is moved
  /// on.
  func takeOver(from other: StoreTable) throws {
    let select = try other.connection.prepare(
      "SELECT key, value FROM _store WHERE key NOT IN"
        + " ('format', 'model', 'model_hash', 'entities', 'deferred_clean_up', 'history_properties')")
    while try select.step() { try write(select.text(0), select.text(1)) }
    guard let hash = try other.read("model_hash"), let own = try read("model_hash") else { return }
    let others = try formerHashes().filter { $0 != hash && $0 != own }
    try write("former_hashes", (others + [hash]).joined(separator: " "))
  }

  func write(metadata: [String: String]) throws {
    try write("metadata", String(decoding: JSONEncoder.sorted.encode(metadata), as: UTF8.self))
  }

  /// Writes a value that is never read; a new one each time, since SQLite skips equal writes.
  func touch() throws { try write("settled", UUID().uuidString) }

  func write(_ key: String, _ value: String) throws {
    let statement = try connection.cached("INSERT OR REPLACE INTO _store (key, value) VALUES (?1, ?2)")
    statement.bind(1, key)
    statement.bind(2, value)
    try statement.run()
  }

  func read(_ key: String) throws -> String? {
    let statement = try connection.cached("SELECT value FROM _store WHERE key = ?1")
    statement.bind(1, key)
    defer { statement.reset() }
    return try statement.step() ? statement.text(0) : nil
  }

  /// What a store says of itself on opening.
  struct Contents {
    var schema: StoreSchema
    var metadata: [String: String]
    /// Whether the file has the table of the history, which earlier versions did not make.
    var hasHistory: Bool
  }

  /// What the store says, or nil when it was made with another version of the model.
  ///
  /// Four statements.
  /// - Throws: `StoreError`: `modelMismatch`, `newerFormat`, and `schemaMismatch` when the file has
  ///   more than the model makes.
  func contents(_ model: ManagedObjectModel) throws -> Contents? {
    let check = try SchemaCheck(connection)
    try check.checkIsStore()
    guard let format = try read("format").flatMap({ Int64($0) }) else {
      throw StoreError(.modelMismatch, "the file opens with its key but is no Strongroom store")
    }
    guard format <= Self.format else {
      throw StoreError(
        .newerFormat,
        "the store has format \(format) and this version knows \(Self.format); update the program")
    }
    guard try read("model_hash") == model.versionHash.hex else { return nil }
    let schema = StoreSchema(model: model, entityNumbers: try entityNumbers(model))
    try check.refuseForeign(schema, of: self)
    return Contents(
      schema: schema, metadata: try metadata(), hasHistory: check.has(table: HistorySchema.transactions))
  }

  /// The model that the store describes itself with, after the file was compared with it.
  /// - Throws: as `contents(_:)`.
  func model() throws -> ManagedObjectModel {
    let check = try SchemaCheck(connection)
    try check.checkIsStore()
    let schema = try storedSchema()
    try check.refuseForeign(schema, of: self)
    return schema.model
  }

  /// What the model makes that the store describes itself with.
  func storedSchema() throws -> StoreSchema {
    guard let json = try read("model") else {
      throw StoreError(.modelMismatch, "the store does not describe itself")
    }
    let model = try ManagedObjectModel(jsonData: Data(json.utf8))
    return StoreSchema(model: model, entityNumbers: try entityNumbers(model))
  }

  func metadata() throws -> [String: String] { try decoded("metadata") }

  private func decoded<Value: Decodable>(_ key: String) throws -> [String: Value] {
    do {
      return try JSONDecoder().decode([String: Value].self, from: Data((try read(key) ?? "{}").utf8))
    } catch let error as DecodingError {
      throw StoreError(.modelMismatch, "the \(key) of the store cannot be read; restore a copy", cause: error)
    }
  }

  func entityNumbers(_ model: ManagedObjectModel) throws -> [Int64] {
    let numbers: [String: Int64] = try decoded("entities")
    var taken: Set<Int64> = []
    return try model.entities.map { entity in
      guard let number = numbers[entity.name] else {
        throw StoreError(
          .modelMismatch, "the store has no number of the entity \(entity.name); restore a copy")
      }
      // Numbers count up from 1 with every migration.
      guard (1...Int64(Int32.max)).contains(number), taken.insert(number).inserted else {
        throw StoreError(
          .modelMismatch, "the store's number of the entity \(entity.name) is wrong; restore a copy")
      }
      return number
    }
  }
}

extension Data {
  var hex: String {
    String(unsafeUninitializedCapacity: 2 * count) { buffer in
      for (place, byte) in enumerated() {
        for (offset, digit) in [byte >> 4, byte & 15].enumerated() {
          buffer[2 * place + offset] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        }
      }
      return 2 * count
    }
  }
}
