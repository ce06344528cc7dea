public import Foundation
public import StoreContract
public import StoreKeyring

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

  /// Where the store's key is kept: vaults in the order in which they are asked. Opening stops at the first key that opens
  /// the file; a new store's key goes into every one that keeps keys.
  public var keyVaults: [any KeyVault] {
    get { options["keyVaults"] as? [any KeyVault] ?? [] }
    set { options["keyVaults"] = newValue }
  }

  /// The first of `keyVaults`; setting it leaves no other.
  public var keyVault: (any KeyVault)? {
    get { keyVaults.first }
    set { keyVaults = newValue.map { [$0] } ?? [] }
  }

  /// Called once with the recovery code of a store that was just made; show it to the user, who should write it down. The store
  /// keeps that it was called (`SQLCipherStore.recoveryCodeWasShown(of:)`).
  public var recoveryCodeHandler: (@Sendable (RecoveryCode) -> Void)? {
    get { options["recoveryCodeHandler"] as? @Sendable (RecoveryCode) -> Void }
    set { options["recoveryCodeHandler"] = newValue }
  }

  /// The key itself, for programs that keep it themselves; goes before `keyVault`.
  public var storeKey: StoreKey? {
    get { options["storeKey"] as? StoreKey }
    set { options["storeKey"] = newValue }
  }

  /// Whether opening may ask the user to unlock the vault; silent unless set.
  public var keyInteraction: KeyInteraction {
    get { options["keyInteraction"] as? KeyInteraction ?? .silent }
    set { options["keyInteraction"] = newValue }
  }

  /// What a user reads beside the key in the vault; the file's name unless set.
  public var keyLabel: String {
    get { options["keyLabel"] as? String ?? "Strongroom key of \(url?.lastPathComponent ?? "a store")" }
    set { options["keyLabel"] = newValue }
  }

  /// Durability of saves; `full` unless set.
  public var durability: Durability {
    get { options["durability"] as? Durability ?? .full }
    set { options["durability"] = newValue }
  }

  /// Memory for decrypted pages per connection, in bytes; 64 MiB unless set. SQLite's own 2 MB makes random access
  /// two to nine times slower on an encrypted file, since each miss is a decryption.
  public var pageCacheBytes: Int {
    get { options["pageCacheBytes"] as? Int ?? 64 << 20 }
    set { options["pageCacheBytes"] = newValue }
  }

  /// The version hash of the only model that the store may be moved over from: for models that are made from what the store has.
  /// Where another program has changed it meanwhile, opening throws `modelMismatch`, and nothing is changed. Nil for any.
  package var migratesOnlyFrom: Data? {
    get { options["migratesOnlyFrom"] as? Data }
    set { options["migratesOnlyFrom"] = newValue }
  }

  /// What the stages of a migration that has several share; nil for one that is a migration of its own.
  package var migrationCopies: MigrationCopies? {
    get { options["migrationCopies"] as? MigrationCopies }
    set { options["migrationCopies"] = newValue }
  }

  /// Whether the description is of a draft, which is to take a store's place when a stage is done.
  package var isDraft: Bool {
    get { options["isDraft"] as? Bool ?? false }
    set { options["isDraft"] = newValue }
  }

  /// Whether one connection of one process keeps the file to itself: opens in half the time.
  public var isExclusive: Bool {
    get { options["isExclusive"] as? Bool ?? false }
    set { options["isExclusive"] = newValue }
  }

  /// How long a save waits for another process's, in milliseconds; 5,000 unless set.
  public var busyTimeoutMilliseconds: Int {
    get { options["busyTimeoutMilliseconds"] as? Int ?? 5000 }
    set { options["busyTimeoutMilliseconds"] = newValue }
  }
}
