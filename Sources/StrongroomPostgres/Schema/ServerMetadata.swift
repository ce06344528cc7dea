import Foundation
import ObjectModel
import StoreContract

/// The table `_store`: the store's UUID, its model, the numbers of its entities, and the program's metadata.
struct ServerMetadata {
  /// Selects the version hash of the model, which every save asks for after it has taken `ServerLock.ofSave`:
  /// a migration waits for the saves that have that lock, and the others see what it wrote.
  static let version = "SELECT value FROM _store WHERE name = 'version'"
  /// The version of what is stored how.
  private static let format = 1
  private static let programs = "program."
  private static let properties = "history_properties"
  private static let sealing = "sealing"
  /// Selects the number of the key that seals new values, which every save asks for; null where nothing is
  /// sealed.
  static let sealingKey = "SELECT value::bigint FROM _store WHERE name = 'sealing_key'"
  let connection: ServerConnection

  struct Contents: Sendable {
    var identifier: UUID
    /// The version hash of the model, in Base64.
    var version: String
    /// The version hashes of the models that the store was moved on from.
    var formerVersions: [String] = []
    /// The model, as JSON.
    var model: String
    /// The number of each entity.
    var numbers: [String: Int64]
    var programs: [String: String]
    /// The number that the model's names have in the history.
    var properties: Int64 = 0
    /// The keys and numbers of what is sealed; nil where nothing is.
    var sealing: SealingRecord?

    /// The tables that the store has.
    func schema() throws -> ServerSchema {
      let stored: ManagedObjectModel
      do { stored = try ManagedObjectModel(jsonData: Data(model.utf8)) } catch {
        throw StoreError(.schemaMismatch, "the store on the server does not describe itself; restore a copy")
      }
      try check(stored)
      return ServerSchema(stored, entityNumbers: numbers)
    }

    /// - Throws: `schemaMismatch` where the entities of the model have not each a number of their own.
    func check(_ model: ManagedObjectModel) throws {
      let own = model.entities.compactMap { numbers[$0.name] }
      guard own.count == model.entities.count, Set(own).count == own.count,
        own.allSatisfy({ (1...Int64(Int32.max)).contains($0) })
      else { throw StoreError(.schemaMismatch, "the store's numbers of entities are wrong; restore a copy") }
    }
  }

  /// What the store of a description says of itself; nil where there is none yet.
  ///
  /// Three statements.
  func stored(_ description: PersistentStoreDescription) throws -> Contents? {
    let rights = try connection.run(
      "SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = $1",
      [.text(description.serverSchema)])
    if rights.count > 0, !rights.boolean(0, 0) {
      throw StoreError(
        .readOnly, "the server does not let this user use the schema \(description.serverSchema); grant it")
    }
    return try read()
  }

  /// Has migrations wait for the end of the transaction, before it reads anything; does nothing where there
  /// is no store.
  func keepVersion() throws {
    try connection.execute("SAVEPOINT version")
    do { try connection.execute("LOCK TABLE _store IN ACCESS SHARE MODE") } catch let error as ServerError
      where error.isOfMissingTable || error.isDenied
    {
      try connection.execute("ROLLBACK TO SAVEPOINT version")
    }
  }

  /// The error where nothing is, and nothing may be made.
  static func missing(_ description: PersistentStoreDescription) -> StoreError {
    StoreError(
      .fileMissing,
      "the database has no store in the schema \(description.serverSchema); check the schema's name, or have"
        + " a store made there: by a description that createsIfMissing, or by `strongroom move`")
  }

  private func read() throws -> Contents? {
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
    let format = try decoded("format", Int.self)
    guard format <= Self.format else {
      throw StoreError(
        .newerFormat,
        "the store has format \(format) and this version knows \(Self.format); update the program")
    }
    let sealing = values[Self.sealing] == nil ? nil : try decoded(Self.sealing, SealingRecord.self)
    return Contents(
      identifier: try decoded("uuid", UUID.self), version: values["version"] ?? "",
      formerVersions: values["former_versions"]?.split(separator: " ").map(String.init) ?? [],
      model: values["model"] ?? "", numbers: try decoded("entities", [String: Int64].self),
      programs: Dictionary(
        uniqueKeysWithValues: own.map { (String($0.key.dropFirst(Self.programs.count)), $0.value) }),
      sealing: sealing)
  }

  /// Makes the tables of a store, in a transaction; with its indexes and constraints, or without.
  func create(
    _ model: ManagedObjectModel, _ identifier: UUID, hasIndexes: Bool = true
  ) throws -> Contents {
    let numbers = model.entities.map(\.name).sorted().enumerated().map { ($0.element, Int64($0.offset + 1)) }
    var contents = Contents(
      identifier: identifier, version: model.version, model: try model.json,
      numbers: Dictionary(uniqueKeysWithValues: numbers), programs: [:])
    let schema = ServerSchema(model, entityNumbers: contents.numbers)
    let tables = hasIndexes ? schema.creation : schema.tableCreation
    try connection.execute((Self.creation + tables).joined(separator: ";"))
    contents.properties = try propertiesNumber(model, contents.numbers)
    try write(["uuid": try encoded(identifier), "format": String(Self.format)])
    try write(contents)
    return contents
  }

  /// The names of the tables that every store has besides those of its model.
  static let tables = ServerHistory.tables.sorted() + [CommitRecord.table, "_sequence", "_store"]

  /// The statements that make them.
  static let creation =
    ServerHistory.creation + [
      "CREATE TABLE _store (name text COLLATE \"C\" PRIMARY KEY, value text NOT NULL)",
      CommitRecord.creation,
      "CREATE TABLE _sequence (entity text COLLATE \"C\" PRIMARY KEY, last bigint NOT NULL)",
    ]

  /// Writes which model the store has.
  ///
  /// One statement.
  func write(_ contents: Contents) throws {
    try write([
      "version": contents.version, "model": contents.model, "entities": try encoded(contents.numbers),
      "former_versions": contents.formerVersions.joined(separator: " "),
    ])
  }

  private func encoded(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder.sorted.encode(value), as: UTF8.self)
  }

  /// The keys and numbers of what is sealed; one statement.
  ///
  /// - Parameter isLocked: Whether others have to wait for the end of the transaction before they change it.
  /// - Returns: Nil where nothing is sealed.
  /// - Throws: `fileDamaged` for what is no such record.
  func sealing(isLocked: Bool = false) throws -> SealingRecord? {
    let rows = try connection.run(
      "SELECT value FROM _store WHERE name = '\(Self.sealing)'\(isLocked ? " FOR UPDATE" : "")")
    if rows.count == 0 { return nil }
    do { return try JSONDecoder().decode(SealingRecord.self, from: Data(rows.text(0, 0).utf8)) } catch {
      throw SealingRecord.damage
    }
  }

  /// Writes the keys and numbers of what is sealed; one statement.
  func write(_ sealing: SealingRecord) throws {
    try write([Self.sealing: try encoded(sealing), "sealing_key": String(sealing.current)])
  }

  /// Looks whether the store still has the version of the model that it was opened with; one statement.
  ///
  /// - Throws: `modelMismatch` where it has another.
  func check(version: String) throws {
    let rows = try connection.run(Self.version)
    if rows.count == 0 || rows.text(0, 0) != version { throw StoreError.movedOn }
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
    try write(properties)
    return Int64(new)
  }

  /// Writes the names that the history's transactions were written with; one statement.
  func write(_ properties: HistoryProperties) throws {
    try write([Self.properties: try encoded(properties)])
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
      "INSERT INTO _store SELECT * FROM unnest($1::text[], $2::text[])"
        + " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      [.texts(sorted.map(\.key)), .texts(sorted.map(\.value))])
  }
}

extension ManagedObjectModel {
  /// The version hash, in Base64.
  var version: String { versionHash.base64EncodedString() }

  /// The declaration, as a store describes itself.
  var json: String { get throws { String(decoding: try jsonData(), as: UTF8.self) } }
}
