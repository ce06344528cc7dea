import Foundation
import ObjectModel
import StoreContract

/// The opening of a store, in one transaction.
struct ServerOpening {
  private let connection: ServerConnection
  private let model: ManagedObjectModel
  private let description: PersistentStoreDescription

  private var metadata: ServerMetadata { ServerMetadata(connection: connection) }

  init(
    _ connection: ServerConnection, _ model: ManagedObjectModel, _ description: PersistentStoreDescription
  ) { (self.connection, self.model, self.description) = (connection, model, description) }

  /// Makes the store, or migrates it, or takes it as it is, with the connection of the pool that the calling
  /// thread's transaction has.
  func run(_ pool: ServerPool) throws -> PostgresStore.Opened {
    try begin()
    guard let known = try metadata.stored(description) else { return opened(try create(), pool) }
    if known.version == model.version { return opened(try checked(known), pool) }
    guard description.shouldMigrateStoreAutomatically, !description.isReadOnly else {
      throw StoreError(
        .modelMismatch,
        "the store was made with another version of the model, and may not be moved to this one; let it be"
          + " migrated, or use a schema of its own")
    }
    let migrated = try ServerMigration(connection, description).run(known, to: model)
    let moved = opened(try checked(migrated.contents), pool)
    if migrated.changesDerived {
      try DerivedValues(connection, moved, PostgresStore(model, description, moved)).refresh()
    }
    return moved
  }

  /// Keeps other programs from making or migrating the store until the end of the transaction.
  private func begin() throws {
    let requirements = ServerRequirements(connection: connection)
    try ServerRequirements.known {
      try requirements.check()
      try ServerLock(connection).takeOpening(of: description.serverSchema)
      try requirements.checkLock()
    }
  }

  /// Makes a store without its indexes and constraints, with the connection of the pool that the calling
  /// thread's transaction has.
  /// - Throws: `fileExists` where there is one.
  func make(_ identifier: UUID, in pool: ServerPool) throws -> PostgresStore.Opened {
    try begin()
    guard try metadata.stored(description) == nil else {
      throw StoreError(
        .fileExists, "the schema \(description.serverSchema) has a store already; name another schema")
    }
    try makeSchema()
    return try ServerRequirements.known {
      opened(try metadata.create(model, identifier, hasIndexes: false), pool)
    }
  }

  private func create() throws -> ServerMetadata.Contents {
    guard description.createsIfMissing, !description.isReadOnly else {
      throw ServerMetadata.missing(description)
    }
    try makeSchema()
    return try ServerRequirements.known {
      try metadata.create(model, PostgresStore.identifierForNewStore())
    }
  }

  private func makeSchema() throws {
    let isThere =
      try connection.run(
        "SELECT 1 FROM pg_namespace WHERE nspname = $1", [.text(description.serverSchema)]
      ).count > 0
    // Even where it is there, making it would take the right to.
    if !isThere { try connection.execute("CREATE SCHEMA \(description.serverSchema.quoted)") }
  }

  private func checked(_ contents: ServerMetadata.Contents) throws -> ServerMetadata.Contents {
    var contents = contents
    try contents.check(model)
    if !description.isReadOnly {
      contents.properties = try metadata.propertiesNumber(model, contents.numbers)
    }
    return contents
  }

  private func opened(_ contents: ServerMetadata.Contents, _ pool: ServerPool) -> PostgresStore.Opened {
    PostgresStore.Opened(
      identifier: contents.identifier, storeEntities: StoreEntity.all(of: model, in: contents.identifier),
      schema: ServerSchema(model, entityNumbers: contents.numbers), pool: pool, listener: nil,
      programs: contents.programs, properties: contents.properties, recorded: RecordedProperties(model))
  }
}
