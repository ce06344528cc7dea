import CipherDatabase
import LightweightMigration
public import ObjectModel
public import StoreContract

extension SQLCipherStore {
  /// What opening a store with another version of its model would do, and whether it would fail.
  ///
  /// Nothing is changed; other programs may have the store open, and read and write it meanwhile.
  /// Issues four statements for the store, one for each table, and one for each rule that the rows
  /// may break or relationship that may lose references. Stages of a staged migration are not
  /// considered.
  /// - Parameters:
  ///   - description: The store.
  ///   - model: The new version.
  /// - Returns: What would become of each entity and property.
  /// - Throws: As `storedModel(_:)`.
  public static func migrationForecast(
    for description: PersistentStoreDescription, to model: ManagedObjectModel
  ) async throws -> MigrationForecast {
    let terms = MigrationTerms(description)
    return try await StoreOpening.reading(description) { connection, store in
      // For the refusal of a file that has more than its model makes.
      let stored = try StoreTable(connection).model()
      // Renaming identifiers say nothing where nothing is migrated.
      let model = stored.versionHash == model.versionHash ? stored : model
      return try connection.transaction(.deferred) {
        try InferredMigration(connection, to: model, terms).survey(of: store).wholeForecast()
      }
    }
  }
}

extension SQLCipherStore: MigratableStore {
  package static func migrationForecasts(
    for description: PersistentStoreDescription, through steps: [ForecastStep]
  ) async throws -> [[ForecastVersion]] {
    let terms = MigrationTerms(description)
    return try await StoreOpening.reading(description) { connection, store in
      // For the refusal of a file that has more than its model makes.
      let model = try StoreTable(connection).model()
      return try connection.transaction(.deferred) {
        let known = try InferredMigration(connection, to: model, terms)
        var path = ForecastPath(known.database, known.old) { model, schema, census in
          try InferredMigration(connection, from: schema, to: model, terms).survey(of: store, census: census)
        }
        var versions: [[ForecastVersion]] = []
        for step in steps where !path.isAtEnd { versions.append(try path.take(step)) }
        return versions
      }
    }
  }

  package static func migrationDraft(
    of description: PersistentStoreDescription
  ) async throws -> any MigrationDraft {
    try await StoreDraft(of: description)
  }
}
