public import ObjectModel

extension ModelContainer {
  /// What opening a store with a migration plan would do, stage by stage; nothing is written.
  ///
  /// `willMigrate` and `didMigrate` are not called: what they do is stated as unknown, and nothing behind
  /// them is counted. Other programs may use the store meanwhile. Reads the rows once in the version that
  /// the store has: a statement for each table, and one for each rule that rows may break.
  /// - Throws: `SwiftDataError`: `unsupportedMigration`, `backwardMigration`, as opening, and
  ///   `loadIssueModelContainer` where there is no store.
  public static func migrationForecast(
    for givenSchema: Schema, migrationPlan: any SchemaMigrationPlan.Type, configuration: ModelConfiguration
  ) throws -> StagedMigrationForecast {
    try MigrationRun(migrationPlan, configuration).forecast(to: givenSchema)
  }
}
