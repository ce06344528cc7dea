public import Foundation
import LightweightMigration
public import Logging
public import StoreContract
public import StoreKeyring
@_exported public import StoreKeys

/// How much of a save must have reached the disk before `save()` returns.
public enum Durability: String, Sendable, Codable, CaseIterable {
  /// Every acknowledged save survives power loss. The default.
  case full
  /// The last saves may be lost at power loss; the file stays whole.
  case normal
}

extension PersistentStoreDescription {
  /// Describes an encrypted store at a file URL, its key in the vault given.
  public init(url: URL, vault: any KeyVault) {
    self.init(type: SQLCipherStore.storeType, url: url)
    keyVault = vault
  }

  /// Durability of saves; `full` unless set.
  public var durability: Durability {
    get { sqlCipher.durability }
    set { sqlCipher.durability = newValue }
  }

  /// Memory for decrypted pages per connection, in bytes; 64 MiB unless set, and 64 KiB at least.
  ///
  /// SQLite's own 2 MB makes random access two to nine times slower on an encrypted file, since
  /// each miss is a decryption.
  public var pageCacheBytes: Int {
    get { sqlCipher.pageCacheBytes }
    set { sqlCipher.pageCacheBytes = newValue }
  }

  /// The version hash of the only model that the store may be migrated from; nil for any.
  ///
  /// For models that are made from the stored one. When another program has changed the store
  /// meanwhile, opening throws `modelMismatch`, and nothing is changed.
  package var migratesOnlyFrom: Data? {
    get { sqlCipher.migratesOnlyFrom }
    set { sqlCipher.migratesOnlyFrom = newValue }
  }

  /// Where a draft, which replaces a store when its migration is done, records that data was
  /// dropped; nil for a store.
  var draftLosses: DraftLosses? {
    get { sqlCipher.draftLosses }
    set { sqlCipher.draftLosses = newValue }
  }

  /// The key that an earlier step of the same opening found; nil for an opening of one step.
  package var knownCipher: KnownCipher? {
    get { sqlCipher.knownCipher }
    set { sqlCipher.knownCipher = newValue }
  }

  /// Whether one connection of one process locks the file for itself: opens in half the time.
  public var isExclusive: Bool {
    get { sqlCipher.isExclusive }
    set { sqlCipher.isExclusive = newValue }
  }

  /// Where the store reports events that an operator wants to know; nil, the default, for nowhere.
  ///
  /// Reported are: the store opened, created, migrated, backed up, its key found or rotated, slow
  /// statements, waits for other processes, and a file replaced by another. No message contains a
  /// stored value or key bytes. Without a logger nothing is measured.
  public var logger: Logger? {
    get { sqlCipher.logger }
    set { sqlCipher.logger = newValue }
  }

  /// The store's name in messages, as the metadata `store`; the file's name unless set.
  public var logLabel: String {
    get { sqlCipher.logLabel ?? url?.lastPathComponent ?? "a store" }
    set { sqlCipher.logLabel = newValue }
  }

  /// From how many milliseconds on `logger` is sent a statement; 100 unless set.
  ///
  /// The time is that in SQLite, without what the program does between two rows.
  public var slowStatementMilliseconds: Int {
    get { sqlCipher.slowStatementMilliseconds }
    set { sqlCipher.slowStatementMilliseconds = newValue }
  }

  /// How long a save waits for another process's, in milliseconds; 5,000 unless set.
  public var busyTimeoutMilliseconds: Int {
    get { sqlCipher.busyTimeoutMilliseconds }
    set { sqlCipher.busyTimeoutMilliseconds = newValue }
  }
}
