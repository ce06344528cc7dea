import Foundation
import ObjectModel
import StoreContract

/// The table `_store`: the store's UUID, the hashes of its entities, and the program's metadata.
struct ServerMetadata {
  private static let programs = "program."
  private static let properties = "history_properties"
  let connection: ServerConnection

  struct Contents: Sendable {
    var identifier: UUID
    /// The version hash of each entity, in Base64.
    var hashes: [String: String]
    /// The number of each entity.
    var numbers: [String: Int64]
    var programs: [String: String]
    /// The number that the model's names have in the history.
    var properties: Int64 = 0
  }

  /// One statement; nil where there is no store yet.
  func read() throws -> Contents? {
    let there = try connection.run("SELECT to_regclass('_store') IS NOT NULL")
    guard there.boolean(0, 0) else { return nil }
    let rows = try connection.run("SELECT name, value FROM _store")
    var values: [String: String] = [:]
    for row in 0..<rows.count { values[rows.text(row, 0)] = rows.text(row, 1) }
    func decoded<T: Decodable>(_ name: String, _ type: T.Type) throws -> T {
      do { return try JSONDecoder().decode(type, from: Data((values[name] ?? "").utf8)) } catch {
        throw StoreError(.schemaMismatch, "the table _store of the schema is no store's; use another schema")
      }
    }
    let own = values.filter { $0.key.hasPrefix(Self.programs) }
    return Contents(
      identifier: try decoded("uuid", UUID.self), hashes: try decoded("hashes", [String: String].self),
      numbers: try decoded("entities", [String: Int64].self),
      programs: Dictionary(
        uniqueKeysWithValues: own.map { (String($0.key.dropFirst(Self.programs.count)), $0.value) }))
  }

  /// Makes the tables of a store, in a transaction.
  func create(_ model: ManagedObjectModel, _ identifier: UUID) throws -> Contents {
    let numbers = model.entities.map(\.name).sorted().enumerated().map { ($0.element, Int64($0.offset + 1)) }
    let contents = Contents(
      identifier: identifier, hashes: model.hashes, numbers: Dictionary(uniqueKeysWithValues: numbers),
      programs: [:])
    let schema = ServerSchema(model, entityNumbers: contents.numbers)
    try connection.execute(
      ServerHistory.creation.joined(separator: ";")
        + ";CREATE TABLE _store (name text COLLATE \"C\" PRIMARY KEY, value text NOT NULL);"
        + "CREATE TABLE _sequence (entity text COLLATE \"C\" PRIMARY KEY, last bigint NOT NULL);"
        + schema.creation.joined(separator: ";"))
    func encoded(_ value: some Encodable) throws -> String {
      String(decoding: try JSONEncoder.sorted.encode(value), as: UTF8.self)
    }
    _ = try propertiesNumber(model, contents.numbers)
    try write([
      "uuid": try encoded(identifier), "hashes": try encoded(contents.hashes),
      "entities": try encoded(contents.numbers),
    ])
    return contents
  }

  /// The names that the history's transactions were written with; one statement.
  func historyProperties() throws -> HistoryProperties {
    let rows = try connection.run("SELECT value FROM _store WHERE name = '\(Self.properties)'")
    if rows.count == 0 { return HistoryProperties() }
    do { return try JSONDecoder().decode(HistoryProperties.self, from: Data(rows.text(0, 0).utf8)) } catch {
      throw StoreError(.fileDamaged, "the history of the store cannot be read; restore a copy")
    }
  }

  /// The number of a model's names in the history, which they are given where they have none.
  ///
  /// One statement, two for new names.
  func propertiesNumber(_ model: ManagedObjectModel, _ numbers: [String: Int64]) throws -> Int64 {
    var properties = try historyProperties()
    func number(_ entity: EntityDescription) -> Int64 { numbers[entity.name] ?? 0 }
    if let known = properties.number(of: model, number) { return Int64(known) }
    let new = properties.add(model, number)
    let json = String(decoding: try JSONEncoder.sorted.encode(properties), as: UTF8.self)
    try connection.run(
      "INSERT INTO _store VALUES ('\(Self.properties)', $1) ON CONFLICT (name) DO UPDATE SET value = $1",
      [.text(json)])
    return Int64(new)
  }

  /// Replaces the program's metadata.
  func write(programs: [String: String]) throws {
    // Two at once would both insert.
    try connection.execute("LOCK TABLE _store IN SHARE ROW EXCLUSIVE MODE")
    try connection.execute("DELETE FROM _store WHERE starts_with(name, '\(Self.programs)')")
    try write(Dictionary(uniqueKeysWithValues: programs.map { (Self.programs + $0.key, $0.value) }))
  }

  private func write(_ values: [String: String]) throws {
    if values.isEmpty { return }
    if values.contains(where: { $0.key.utf8.contains(0) || $0.value.utf8.contains(0) }) {
      throw StoreError(.invalidValue, "a name or a value of the metadata has U+0000, which no text may have")
    }
    let sorted = values.sorted { $0.key < $1.key }
    try connection.run(
      "INSERT INTO _store SELECT * FROM unnest($1::text[], $2::text[])",
      [.texts(sorted.map(\.key)), .texts(sorted.map(\.value))])
  }
}

extension ManagedObjectModel {
  /// The version hash of each entity, in Base64.
  var hashes: [String: String] {
    Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0.versionHash.base64EncodedString()) })
  }
}
