import Foundation
import LightweightMigration
import Logging
import StoreContract

/// The options of an encrypted store, which a description holds under one key.
///
/// `PersistentStoreDescription` documents and publishes them one by one.
struct SQLCipherStoreOptions: Sendable {
  var durability = Durability.full
  var pageCacheBytes = 64 << 20
  var busyTimeoutMilliseconds = 5000
  var isExclusive = false
  var logger: Logger?
  /// Nil for the file's name.
  var logLabel: String?
  var slowStatementMilliseconds = 100
  var migratesOnlyFrom: Data?
  var draftLosses: DraftLosses?
  var knownCipher: KnownCipher?
}

extension PersistentStoreDescription {
  private static let optionsKey = "SQLCipher"

  var sqlCipher: SQLCipherStoreOptions {
    get { options[Self.optionsKey] as? SQLCipherStoreOptions ?? SQLCipherStoreOptions() }
    set { options[Self.optionsKey] = newValue }
  }
}
