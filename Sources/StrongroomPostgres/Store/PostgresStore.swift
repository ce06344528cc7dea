public import Foundation
import Locks
public import ObjectModel
public import StoreContract

/// A store in a PostgreSQL database, for graphs that many machines share.
///
/// The description's URL is the server's address as libpq has it, `postgresql://user@host/database`. Over
/// TCP the server's certificate has to be valid and its own, unless the address says otherwise (`sslmode`).
/// The server sees the values: it, its disks and its backups are to be trusted.
public final class PostgresStore: IncrementalStore {
  /// The name it is registered under.
  public static let storeType = "PostgreSQL"

  struct Opened: Sendable {
    let identifier: UUID
    let storeEntities: [StoreEntity]
    let schema: ServerSchema
    let pool: ServerPool
    /// None for a moment that does not change.
    let listener: ServerListener?
    var programs: [String: String]
    /// The number that the model's names have in the history.
    let properties: Int64
    /// The properties whose values the history records.
    let recorded: RecordedProperties
  }

  let model: ManagedObjectModel
  let sequence = ServerSequence()
  /// What this store object says of its saves; others count those that are not their own.
  let signature = UUID().uuidString
  /// Where it is.
  public let description: PersistentStoreDescription
  private let state = Locked<Opened?>(nil)

  /// Makes a store that is not open yet.
  /// - Throws: `StoreError` with code `invalidValue` where the description has no address of a server.
  public init(model: ManagedObjectModel, description: PersistentStoreDescription) throws {
    guard let url = description.url, ["postgres", "postgresql"].contains(url.scheme ?? "") else {
      throw StoreError(.invalidValue, "give the address of the server: postgresql://user@host/database")
    }
    let schema = description.serverSchema
    guard (1...63).contains(schema.utf8.count), !schema.utf8.contains(0), !schema.hasPrefix("pg_"),
      schema != "$user"
    else {
      throw StoreError(
        .invalidValue, "a schema's name has 1 to 63 bytes, and begins neither with pg_ nor is it $user")
    }
    self.model = model
    self.description = description
  }

  var open: Opened {
    get throws {
      if let opened = state.withLock({ $0 }) { return opened }
      throw StoreError(.other, "the store is closed; load it first")
    }
  }

  /// The store's UUID, once metadata is loaded; all zeros before.
  public var identifier: UUID { state.withLock { $0?.identifier } ?? Self.unknown }
  private static let unknown = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  /// One per entity of the model, at the entity's index.
  public var storeEntities: [StoreEntity] { state.withLock { $0?.storeEntities } ?? [] }

  /// The store's own metadata and the program's.
  public var metadata: [String: String] {
    StoreMetadata.whole(
      state.withLock { $0?.programs } ?? [:], of: self,
      versionIdentifiers: model.declaration.versionIdentifiers)
  }

  /// How often something was sent to the server and answered.
  package var roundTripCount: Int { get throws { try open.pool.roundTrips.withLock { $0 } } }

  func setPrograms(_ programs: [String: String]) { state.withLock { $0?.programs = programs } }

  func checkWritable() throws {
    if description.isReadOnly { throw StoreError(.readOnly, "the store is open for reading only") }
  }

  /// Connects, and makes the store where there is none yet.
  ///
  /// - Throws: `StoreError`: `serverUnreachable`, `wrongKey` where the server refuses the user,
  ///   `fileMissing` where there is no store and none may be made, `modelMismatch` where it was made with
  ///   another version of the model.
  public func loadMetadata() async throws {
    let url = description.url?.absoluteString ?? ""
    let pool = ServerPool(
      url,
      settings: [
        ("sslmode", "verify-full"), ("application_name", "strongroom"), ("connect_timeout", "10"),
        // A server that stops without closing its connections is noticed.
        ("keepalives_idle", "30"), ("tcp_user_timeout", "60000"),
      ],
      setUp: "SET search_path TO \(description.serverSchema.quoted); SET client_encoding TO 'UTF8';"
        + "SET lock_timeout TO '30s';"
        + "SET default_transaction_isolation TO 'read committed'; SET extra_float_digits TO 3")
    let contents: ServerMetadata.Contents
    do { contents = try pool.write { try self.contents($0) } } catch let failure as CommitFailure {
      throw failure.error.storeError
    }
    let listener = ServerListener(
      Self.channel(contents.identifier), own: signature, connect: pool.connect)
    try listener.listen()
    let opened = Opened(
      identifier: contents.identifier, storeEntities: StoreEntity.all(of: model, in: contents.identifier),
      schema: ServerSchema(model, entityNumbers: contents.numbers), pool: pool, listener: listener,
      programs: contents.programs, properties: contents.properties, recorded: RecordedProperties(model))
    state.withLock { $0 = opened }
  }

  /// The channel on which the stores of one UUID hear of each other.
  static func channel(_ identifier: UUID) -> String { "strongroom_\(identifier.uuidString)" }

  private init(momentOf store: PostgresStore) throws {
    model = store.model
    var description = store.description
    description.isReadOnly = true
    self.description = description
    var opened = try store.open
    opened = Opened(
      identifier: opened.identifier, storeEntities: opened.storeEntities, schema: opened.schema,
      pool: try opened.pool.moment(), listener: nil, programs: opened.programs,
      properties: opened.properties, recorded: opened.recorded)
    state.withLock { $0 = opened }
  }

  /// What is stored now, for as long as it is there: reads see no later save.
  ///
  /// Two statements; one more for each further thread that reads at the same time.
  public func snapshot() throws -> any IncrementalStore { try PostgresStore(momentOf: self) }

  /// Rises with each save of others.
  public var remoteChangeCount: Int64? { get throws { try open.listener?.changeCount } }

  private func contents(_ connection: ServerConnection) throws -> ServerMetadata.Contents {
    let encoding = try connection.run("SELECT current_setting('server_encoding')").text(0, 0)
    guard encoding == "UTF8" else {
      throw StoreError(.other, "the database stores texts as \(encoding); make one with the encoding UTF8")
    }
    let metadata = ServerMetadata(connection: connection)
    // So that of several programs one makes it; given back with the transaction.
    try connection.run(
      "SELECT pg_advisory_xact_lock(hashtextextended($1, 7))",
      [.text("strongroom " + description.serverSchema)])
    let rights = try connection.run(
      "SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = $1",
      [.text(description.serverSchema)])
    let isThere = rights.count > 0
    if isThere, !rights.boolean(0, 0) {
      throw StoreError(
        .wrongKey, "the server does not let this user use the schema \(description.serverSchema); grant it")
    }
    if var known = try metadata.read() {
      guard known.hashes == model.hashes else {
        throw StoreError(
          .modelMismatch,
          "the store was made with another version of the model; use a schema of its own for this")
      }
      let numbers = model.entities.compactMap { known.numbers[$0.name] }
      guard numbers.count == model.entities.count, Set(numbers).count == numbers.count,
        numbers.allSatisfy({ $0 > 0 })
      else { throw StoreError(.schemaMismatch, "the store's numbers of entities are wrong; restore a copy") }
      if !description.isReadOnly {
        known.properties = try metadata.propertiesNumber(model, known.numbers)
      }
      return known
    }
    guard description.createsIfMissing, !description.isReadOnly else {
      throw StoreError(
        .fileMissing, "the database has no store in the schema \(description.serverSchema); let one be made")
    }
    // Even where it is there, making it would take the right to.
    if !isThere { try connection.execute("CREATE SCHEMA \(description.serverSchema.quoted)") }
    return try metadata.create(model, Self.identifierForNewStore())
  }

  /// Closes the connections; the identifier and the metadata stay.
  public func close() throws {
    let opened = state.withLock { $0 }
    opened?.listener?.close()
    opened?.pool.close()
  }

  /// Permanent IDs, in the order of the entities.
  ///
  /// No statement while a block of numbers lasts, else one for each hierarchy.
  public func obtainPermanentIDs(for entities: [EntityDescription]) throws -> [ManagedObjectID] {
    let opened = try open
    return try zip(entities, sequence.take(entities, in: opened.pool)).map { entity, reference in
      ManagedObjectID(opened.storeEntities[entity.index], reference: reference)
    }
  }
}
