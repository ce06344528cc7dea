import LightweightMigration
public import ObjectModel
public import StoreContract

extension PostgresStore {
  /// The model that a store on a server describes itself with.
  ///
  /// Four statements.
  /// - Throws: `StoreError`: `fileMissing` where there is no store, `schemaMismatch` where it does not
  ///   describe itself, `serverUnreachable`, `wrongKey`.
  public static func storedModel(
    _ description: PersistentStoreDescription
  ) async throws -> ManagedObjectModel {
    try await reading(description) { _, contents in try contents.schema().model }
  }

  /// What opening a store with another version of its model would do, and whether it would fail.
  ///
  /// Nothing is changed; other programs may read and write the store meanwhile. Issues four statements for
  /// the store, one for each table, and one for each rule that the rows may break or relationship that may
  /// lose references. Stages of a staged migration are not considered.
  /// - Parameters:
  ///   - description: The store.
  ///   - model: The new version.
  /// - Returns: What would become of each entity and property.
  /// - Throws: As `storedModel(_:)`.
  public static func migrationForecast(
    for description: PersistentStoreDescription, to model: ManagedObjectModel
  ) async throws -> MigrationForecast {
    try await reading(description) { metadata, contents in
      let schema = try contents.schema()
      // Renaming identifiers say nothing where nothing is migrated.
      let model = contents.version == model.version ? schema.model : model
      let survey = try metadata.survey(contents, schema, to: model, description)
      return try survey.wholeForecast()
    }
  }

  private static func reading<R>(
    _ description: PersistentStoreDescription,
    _ body: (ServerMetadata, ServerMetadata.Contents) throws -> R
  ) async throws -> R {
    let pool = try await ServerPool.connected(description)
    defer { pool.close() }
    // Values that the program converts are compared in a table that is there until the end of the moment.
    return try pool.readMoment(writesTemporaries: description.valueConversions != nil) { connection in
      let metadata = ServerMetadata(connection: connection)
      try metadata.keepVersion()
      guard let contents = try metadata.stored(description) else { throw ServerMetadata.missing(description) }
      return try body(metadata, contents)
    }
  }
}

extension PostgresStore: MigratableStore {
  package static func migrationForecasts(
    for description: PersistentStoreDescription, through steps: [ForecastStep]
  ) async throws -> [[ForecastVersion]] {
    try await reading(description) { metadata, contents in
      var path = ForecastPath(MigrationServer(connection: metadata.connection), try contents.schema()) {
        try metadata.survey(contents, $1, to: $0, description, census: $2)
      }
      var versions: [[ForecastVersion]] = []
      for step in steps where !path.isAtEnd { versions.append(try path.take(step)) }
      return versions
    }
  }

  /// A server drops columns at once.
  package var hasDeferredLightweightMigration: Bool { false }
  package func finishDeferredLightweightMigrationTask() throws -> Bool { false }

  package static func migrationDraft(
    of description: PersistentStoreDescription
  ) async throws -> any MigrationDraft {
    try await ServerDraft(of: description)
  }
}
