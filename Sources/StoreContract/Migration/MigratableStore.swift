package import ObjectModel

/// A kind of store whose files contain their model, so that they can follow another version of it.
package protocol MigratableStore: IncrementalStore {
  /// The model that a store describes itself with.
  static func storedModel(_ description: PersistentStoreDescription) async throws -> ManagedObjectModel

  /// What opening a store with another version of its model would do.
  static func migrationForecast(
    for description: PersistentStoreDescription, to model: ManagedObjectModel
  ) async throws -> MigrationForecast

  /// What migrating a store through several versions would do.
  /// - Returns: For each step the versions to which it comes, and how; fewer where a step cannot be
  ///   done.
  static func migrationForecasts(
    for description: PersistentStoreDescription, through steps: [ForecastStep]
  ) async throws -> [[ForecastVersion]]

  /// Whether a deferred migration left something that is still to be removed.
  var hasDeferredLightweightMigration: Bool { get throws }

  /// Removes a piece of what deferred migrations left, in one transaction.
  /// - Returns: Whether something is left.
  func finishDeferredLightweightMigrationTask() throws -> Bool

  /// Copies a store for work of several steps; no connection may have it open.
  static func migrationDraft(of description: PersistentStoreDescription) async throws -> any MigrationDraft
}

/// A part of a migration that is to be forecast.
package struct ForecastStep: Sendable {
  /// The versions through which it goes, the last of which it reaches.
  package let models: [ManagedObjectModel]
  /// Whether the data that it meets is that of the store, moved by inference alone.
  package let isCounted: Bool
  /// Whether the step is inferred; else something else fills a store of the last version.
  package let isInferred: Bool
}

/// A version that a step of a forecast comes to, and what is done on the way from the one before.
package struct ForecastVersion: Sendable {
  package let model: ManagedObjectModel
  /// Nil where the step is not inferred.
  package let forecast: MigrationForecast?

  package init(_ model: ManagedObjectModel, _ forecast: MigrationForecast?) {
    self.model = model
    self.forecast = forecast
  }
}

/// A copy of a store for work of several steps, which replaces the store when all of them are done.
package protocol MigrationDraft: Sendable {
  /// How the copy is opened.
  var description: PersistentStoreDescription { get }

  /// Makes an empty store of another version of the model beside the copy, with the store's
  /// identity, key and metadata.
  /// - Returns: How it is opened.
  func makeSuccessor(_ model: ManagedObjectModel) throws -> PersistentStoreDescription

  /// Replaces the copy by its successor; to be called when every connection to both is closed.
  func adoptSuccessor() throws

  /// Replaces the store by the copy; to be called when every connection to the copy is closed.
  func publish() throws

  /// Removes the copy and unlocks the store.
  func abandon()
}
