public import Foundation

/// What store to open, where, and how.
public struct PersistentStoreDescription: Sendable {
  /// The name under which the kind of store is registered.
  public var type: String
  /// Where the store's file is; nil for stores without one.
  public var url: URL?
  /// The configuration of the model whose entities go into this store; nil for all.
  public var configuration: String?
  /// Whether a missing store may be created.
  public var createsIfMissing = true
  /// Whether an empty file at the store's URL may become a new store.
  public var replacesEmptyFile = false
  /// Whether the store is opened for reading only.
  public var isReadOnly = false
  /// Whether a store that was made with another version of the model is moved to this one when it
  /// is opened, where that can be inferred; true as in Core Data.
  ///
  /// Else, and where it cannot, opening throws `modelMismatch`, and nothing is changed.
  public var shouldMigrateStoreAutomatically = true
  /// Whether a store that is newer than the program's model is opened for reading only; false unless
  /// set.
  ///
  /// A store is newer when it was moved on from the program's model, when the stages of its migration
  /// name its version after the program's, or when it has another version and may not be migrated.
  /// It opens when every entity and property of the program's model is in it as it is, and what it
  /// has besides is ignored; saving throws `readOnly`. Else opening throws `modelMismatch`, which says
  /// what is lacking. Unset, a newer store is refused.
  public var opensNewerStoreReadOnly = false
  /// Whether a migration may drop data that the new version of the model has no place for; true
  /// unless set.
  ///
  /// Where it may not, opening throws `lossyMigration` with a forecast of what would be dropped, and
  /// nothing is changed. Where it may, a copy of the store stays beside it.
  public var allowsLossyMigration = true
  /// Whether a migration leaves what it would drop for later, so that opening is quick; false unless
  /// set.
  ///
  /// As Core Data's `NSPersistentStoreDeferredLightweightMigrationOptionKey`.
  /// Columns and tables without a place in the new version stay in the file, encrypted, with their
  /// values, until `PersistentStoreCoordinator.finishDeferredLightweightMigration()` removes them; so
  /// no copy of the store is made, and the file is not compacted. What becomes of values that are
  /// converted, renamed or moved does not wait.
  public var defersLightweightMigration = false
  /// Whether the store records what each save, batch and long value changes, for
  /// `PersistentHistoryChangeRequest`; true unless set.
  ///
  /// What is written by a program that sets it to false is in no history, so every program of a store should
  /// agree. A store in memory always does.
  public var tracksHistory = true
  /// How much history the store has before it deletes the oldest itself; `standard` unless set.
  ///
  /// A store in memory has limits of its own.
  public var historyLimits = PersistentHistoryLimits.standard
  /// What else the kind of store understands; each kind extends this type with typed access to its
  /// own.
  public var options: [String: any Sendable] = [:]

  /// Describes a store.
  public init(type: String, url: URL? = nil, configuration: String? = nil) {
    self.type = type
    self.url = url
    self.configuration = configuration
  }
}
