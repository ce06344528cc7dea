import CipherDatabase
import Foundation
public import StoreContract
public import StoreKeyring

extension SQLCipherStore {
  /// Records in a store that its recovery code was shown.
  ///
  /// A program that shows the code of `recoveryCode(of:)` calls it after; what
  /// `recoveryCodeHandler` is given is noted by itself. A few statements.
  /// - Throws: as opening does, and `StoreError` when the store cannot be written to.
  public static func noteRecoveryCodeShown(of description: PersistentStoreDescription) async throws {
    let access = try await WholeFileAccess.open(description, for: .reading)
    defer { access.close() }
    try translating(access.path) {
      try RecoveryCodeShown(access.key, access.store).write(access.connection)
    }
  }

  /// The recovery code of a store's key.
  /// - Throws: as opening does.
  public static func recoveryCode(of description: PersistentStoreDescription) async throws -> RecoveryCode {
    let access = try await WholeFileAccess.open(description, for: .reading)
    access.close()
    return access.cipher.recoveryCode
  }

  /// Whether the recovery code of a store's present key was shown: by `recoveryCodeHandler` when
  /// the store was made, or as `noteRecoveryCodeShown(of:)` recorded.
  ///
  /// False after a rotation, whose code is a new one, and for stores of versions that did not note
  /// it. Where it is false, losing the vault is losing the store.
  /// - Throws: as opening does.
  public static func recoveryCodeWasShown(of description: PersistentStoreDescription) async throws -> Bool {
    let access = try await WholeFileAccess.open(description, for: .reading)
    defer { access.close() }
    return try translating(access.path) {
      try SchemaCheck(access.connection).checkIsStore()
      return try RecoveryCodeShown(access.key, access.store).isWritten(access.connection)
    }
  }

  /// Whether the description's vaults have keys of a store besides the one that opens it, as a rotation that
  /// leaves old keys makes it.
  ///
  /// - Throws: as opening does.
  package static func hasOlderKeys(of description: PersistentStoreDescription) async throws -> Bool {
    let access = try await WholeFileAccess.open(description, for: .reading)
    defer { access.close() }
    let life = KeyLifecycle(vaults: description.keyVaults, interaction: description.keyInteraction)
    return await life.storedKeys(for: access.store).keys.contains { !$0.key.isSame(as: access.key) }
  }

  /// Opens a store with a recovery code, and only then puts its key into the description's vaults:
  /// what a lost keyring, a new machine or a restored copy needs.
  /// - Throws: `KeyringError` with code `recoveryCodeInvalid` for another store's code,
  ///   `StoreError` with code `wrongKey` when it does not open the file, and what the vaults throw;
  ///   no vault has the key then.
  public static func restoreKey(
    of description: PersistentStoreDescription, from code: RecoveryCode
  ) async throws {
    let access = try await open(description, with: code)
    access.close()
    _ = try await KeyLifecycle(vaults: description.keyVaults, interaction: description.keyInteraction)
      .add(access.key, for: access.store, label: description.keyLabel)
  }

  /// Opens a store with a recovery code to see whether it fits, and keeps nothing.
  /// - Throws: as `restoreKey(of:from:)`.
  public static func verify(_ code: RecoveryCode, for description: PersistentStoreDescription) async throws {
    try await open(description, with: code).close()
  }

  private static func open(
    _ description: PersistentStoreDescription, with code: RecoveryCode
  ) async throws -> WholeFileAccess {
    var coded = description
    coded.storeKey = nil
    coded.keyVaults = [RecoveryCodeVault(code)]
    let access = try await WholeFileAccess.open(coded, for: .reading)
    description.log?.usedRecoveryCode()
    return access
  }
}
