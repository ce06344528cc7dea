import Foundation
import LightweightMigration
import ObjectModel
import StoreContract

/// A copy of a store in a schema of its own, for work of several steps, whose tables take the place of the
/// store's when all steps are done.
///
/// Until then others read the store, and wait where they save or open it. If a step fails or the program
/// ends, the store is unchanged; the next draft removes what is left.
final class ServerDraft: MigrationDraft, @unchecked Sendable {
  // @unchecked: made on one thread and then used by another one alone.
  /// For how many seconds a server that is started again is waited for, besides the last attempt to connect.
  private static let patience: TimeInterval = 20

  private let store: String
  private let contents: ServerMetadata.Contents
  private let pool: ServerPool
  /// In the transaction that has the store's locks; none when it is over.
  private var keeper: ServerConnection?
  private var successor: String?
  /// How the copy is opened.
  private(set) var description: PersistentStoreDescription

  /// Copies a store; a statement for each table, and some more.
  /// - Throws: `StoreError`: `busy` where others save or open the store for longer than 30 seconds,
  ///   `readOnly` where no schema may be made, `schemaMismatch` where the tables have what the store did not
  ///   make, and as opening does.
  init(of description: PersistentStoreDescription) async throws {
    (store, self.description) = (description.serverSchema, description)
    pool = try await ServerPool.connected(description)
    do {
      let connection = try pool.connect()
      keeper = connection
      // However long the program's own work takes.
      try connection.execute("BEGIN; SET LOCAL idle_in_transaction_session_timeout TO 0")
      try ServerLock(connection).takeOpening(of: store)
      guard let contents = try ServerMetadata(connection: connection).stored(description) else {
        throw ServerMetadata.missing(description)
      }
      self.contents = contents
      try ServerLock(connection).take(ServerLock.againstSaves)
      let schema = try contents.schema()
      let foreign = ForeignParts(schema, connection)
      try foreign.check(schema.tableNames)
      try foreign.checkOwnTables()
      try Self.removeAbandoned(of: Self.mark(contents, store), pool)
      let draft = try pool.write { connection in
        let name = try ServerSchemaName(connection).draft(description.serverSchema)
        try ServerStoreCopy(connection, of: description.serverSchema, schema).make(as: name)
        for table in (schema.tableNames + ServerMetadata.tables).map(\.quoted) {
          try ServerRights(connection).grant("\(name.quoted).\(table)", like: table)
        }
        try Self.mark(name, Self.mark(contents, description.serverSchema), connection)
        return name
      }
      self.description.serverSchema = draft
      self.description.createsIfMissing = false
      self.description.draftLosses = DraftLosses()
    } catch {
      keeper = nil
      pool.close()
      throw Self.storeError(error)
    }
  }

  deinit { abandon() }

  // MARK: Marks

  /// What a schema of a draft has as its comment, so that it is known for one.
  private static func mark(_ contents: ServerMetadata.Contents, _ store: String) -> String {
    "unfinished migration of \(store), \(contents.identifier.uuidString)"
  }

  private static func mark(_ schema: String, _ mark: String, _ connection: ServerConnection) throws {
    let text = try connection.run("SELECT quote_literal($1::text)", [.text(mark)]).text(0, 0)
    try connection.execute("COMMENT ON SCHEMA \(schema.quoted) IS \(text)")
  }

  /// Removes the drafts of programs that ended during their work: this one has the store's locks, so no other
  /// draft is in use.
  private static func removeAbandoned(of mark: String, _ pool: ServerPool) throws {
    try pool.write { connection in
      let rows = try connection.run(
        "SELECT nspname::text FROM pg_namespace WHERE pg_catalog.obj_description(oid, 'pg_namespace') = $1",
        [.text(mark)])
      for row in 0..<rows.count {
        try connection.execute("DROP SCHEMA IF EXISTS \(rows.text(row, 0).quoted) CASCADE")
      }
    }
  }

  private static func storeError(_ error: any Error) -> any Error {
    switch error {
    case let error as ServerError: error.storeError
    case let failure as CommitFailure: failure.error.storeError
    default: error
    }
  }

  private func translating<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch { throw Self.storeError(error) }
  }

  // MARK: The successor

  func makeSuccessor(_ model: ManagedObjectModel) throws -> PersistentStoreDescription {
    let draft = description.serverSchema
    let name = try translating {
      try pool.write { connection in
        let name = try ServerSchemaName(connection).draft(store)
        try ServerSchemaName(connection).create(name)
        try Self.mark(name, Self.mark(contents, store), connection)
        try ServerSuccessor(connection, of: draft, as: name).make(model, description)
        return name
      }
    }
    successor = name
    var new = description
    new.serverSchema = name
    return new
  }

  func adoptSuccessor() throws {
    guard let new = successor else { return }
    try translating { try drop([description.serverSchema]) }
    (description.serverSchema, successor) = (new, nil)
    // What a mapping leaves out is nowhere counted, so the store always stays beside the new one.
    description.draftLosses?.record()
  }

  // MARK: The end

  /// Puts the draft's tables in the place of the store's.
  ///
  /// Those of a store whose data the draft has no place for stay, in a schema with the time in its name.
  /// - Throws: `StoreError`; the store is then as it was, unless the code is `outcomeUnknown`.
  func publish() throws {
    guard let keeper else { return }
    let draft = description.serverSchema
    let finished = try translating { () -> ServerMetadata.Contents in
      let finished = try keeper.at(draft) { try ServerMetadata(connection: keeper).stored(description) }
      guard let finished else { throw ServerMetadata.missing(description) }
      try keeper.execute("SET LOCAL search_path TO \(store.quoted)")
      try ServerLock(keeper).take(ServerLock.againstAll(try contents.schema().tableNames))
      try ServerReplacement(keeper, of: store, by: draft).run(
        contents.schema(), finished.schema(), keepsFormer: description.draftLosses?.isLossy == true)
      // In the same transaction: the next draft removes what it finds of others.
      try keeper.execute("DROP SCHEMA \(draft.quoted) CASCADE")
      try keeper.run(
        "SELECT pg_notify($1, 'migration')", [.text(PostgresStore.channel(contents.identifier))])
      return finished
    }
    do { try keeper.execute("COMMIT") } catch let error as ServerError {
      guard error.isConnectionLost else { throw error.storeError }
      try settle(finished.version, error)
    }
    description.draftLosses = nil
    abandon()
  }

  /// Asks the server whether a commit that it did not answer was done.
  private func settle(_ version: String, _ error: ServerError) throws {
    let end = Date(timeIntervalSinceNow: Self.patience)
    repeat {
      if let found = try? pool.read({ try $0.run(ServerMetadata.version) }) {
        if found.count > 0, found.text(0, 0) == version { return }
        throw error.storeError
      }
      usleep(100_000)
    } while Date() < end
    throw StoreError.outcomeUnknown(nil, cause: error)
  }

  /// Unlocks the store and removes the copy.
  func abandon() {
    // A connection that ends rolls back.
    keeper = nil
    if description.draftLosses != nil {
      try? drop([description.serverSchema, successor].compactMap { $0 })
      description.draftLosses = nil
    }
    pool.close()
  }

  private func drop(_ schemas: [String]) throws {
    try pool.write { connection in
      for schema in schemas { try connection.execute("DROP SCHEMA IF EXISTS \(schema.quoted) CASCADE") }
    }
  }
}

extension PersistentStoreDescription {
  /// What was dropped of the draft that the description is of; nil for a store.
  var draftLosses: DraftLosses? {
    get { options["PostgresDraftLosses"] as? DraftLosses }
    set { options["PostgresDraftLosses"] = newValue }
  }
}
