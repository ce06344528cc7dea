import StoreContract

/// What a program asks of a migration.
struct MigrationTerms: Sendable {
  /// Whether nothing is dropped yet.
  var isDeferred = false
  /// The values that the program converts itself.
  var conversions: ValueConversions?
}

extension MigrationTerms {
  init(_ description: PersistentStoreDescription) {
    self.init(
      isDeferred: description.defersLightweightMigration, conversions: description.valueConversions)
  }
}
