import Foundation
import ObjectModel
import StoreContract

/// The opening of a store, in one transaction.
struct ServerOpening {
  private let connection: ServerConnection
  private let model: ManagedObjectModel
  private let description: PersistentStoreDescription
  private let key: OpeningKey?

  private var metadata: ServerMetadata { ServerMetadata(connection: connection) }

  init(
    _ connection: ServerConnection, _ model: ManagedObjectModel, _ description: PersistentStoreDescription,
    _ key: OpeningKey?
  ) {
    (self.connection, self.model, self.description, self.key) = (connection, model, description, key)
  }

  /// Makes the store, or migrates it, or takes it as it is, with the connection of the pool that the calling
  /// thread's transaction has.
  func run(_ pool: ServerPool) throws -> PostgresStore.Opened {
    try begin()
    guard let known = try metadata.stored(description) else { return try opened(try create(), pool) }
    if known.version == model.version { return try opened(try checked(keyed(known)), pool) }
    guard description.shouldMigrateStoreAutomatically, !description.isReadOnly else {
      throw StoreError(
        .modelMismatch,
        "the store was made with another version of the model, and may not be moved to this one; let it be"
          + " migrated, or use a schema of its own")
    }
    let migrated = try ServerMigration(connection, description, key).run(known, to: model)
    let moved = try opened(try checked(migrated.contents), pool)
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
    try checkIsFree()
    return try opened(try new(identifier, hasIndexes: false), pool)
  }

  /// - Throws: `fileExists` where there is a store.
  func checkIsFree() throws {
    guard try metadata.stored(description) != nil else { return }
    throw StoreError(
      .fileExists, "the schema \(description.serverSchema) has a store already; name another schema")
  }

  private func create() throws -> ServerMetadata.Contents {
    guard description.createsIfMissing, !description.isReadOnly else {
      throw ServerMetadata.missing(description)
    }
    return try new(key?.store ?? PostgresStore.identifierForNewStore(), hasIndexes: true)
  }

  private func new(_ identifier: UUID, hasIndexes: Bool) throws -> ServerMetadata.Contents {
    try makeSchema()
    let contents = try ServerRequirements.known {
      try metadata.create(model, identifier, hasIndexes: hasIndexes)
    }
    return model.sealedAttributes.isEmpty ? contents : try withKeys(contents)
  }

  /// The store that a mapping model is to fill gets its keys when it is opened, unless the former one had
  /// them, and the numbers of its attributes.
  private func keyed(_ contents: ServerMetadata.Contents) throws -> ServerMetadata.Contents {
    if description.draftLosses == nil || model.sealedAttributes.isEmpty { return contents }
    let isNumbered = model.sealedAttributes.allSatisfy {
      contents.sealing?.attributes[$0.entity.name]?[$0.name] != nil
    }
    return isNumbered ? contents : try withKeys(contents)
  }

  private func withKeys(_ contents: ServerMetadata.Contents) throws -> ServerMetadata.Contents {
    guard let key, key.isFirst || contents.sealing != nil, key.store == contents.identifier else {
      throw OpeningKey.Outdated()
    }
    var contents = contents
    var record = try contents.sealing ?? SealingRecord(for: key.store, wrappedBy: key.key)
    guard let keys = try record.keys(for: key.store, unwrappedBy: key.key) else {
      throw OpeningKey.Outdated()
    }
    try record.number(model, keys)
    try metadata.write(record)
    contents.sealing = record
    return contents
  }

  private func makeSchema() throws {
    let isThere =
      try connection.run(
        "SELECT 1 FROM pg_namespace WHERE nspname = $1", [.text(description.serverSchema)]
      ).count > 0
    // Even where it is there, making it would take the right to.
    if isThere { return }
    do { try connection.execute("CREATE SCHEMA \(description.serverSchema.quoted)") } catch let error
      as ServerError where error.isDenied
    {
      throw StoreError(
        .readOnly,
        "there is no schema \(description.serverSchema), and the server does not let this user make one; make"
          + " it, and grant the user to create in it", cause: error)
    }
  }

  private func checked(_ contents: ServerMetadata.Contents) throws -> ServerMetadata.Contents {
    var contents = contents
    try contents.check(model)
    if !description.isReadOnly {
      contents.properties = try metadata.propertiesNumber(model, contents.numbers)
      try CommitRecord.deleteOld(connection)
    }
    return contents
  }

  private func sealing(_ contents: ServerMetadata.Contents, _ pool: ServerPool) throws -> StoreSealing? {
    if model.sealedAttributes.isEmpty { return nil }
    guard let record = contents.sealing else { throw SealingRecord.damage }
    guard let key, key.store == contents.identifier,
      let keys = try record.keys(for: key.store, unwrappedBy: key.key)
    else { throw OpeningKey.Outdated() }
    return try StoreSealing(key.store, record, keys, model) {
      try pool.apart { try ServerMetadata(connection: $0).sealing() }
    }
  }

  private func opened(
    _ contents: ServerMetadata.Contents, _ pool: ServerPool
  ) throws -> PostgresStore.Opened {
    try PostgresStore.Opened(
      identifier: contents.identifier, storeEntities: StoreEntity.all(of: model, in: contents.identifier),
      schema: ServerSchema(model, entityNumbers: contents.numbers), pool: pool, programs: contents.programs,
      properties: contents.properties, recorded: RecordedProperties(model),
      sealing: sealing(contents, pool))
  }
}
