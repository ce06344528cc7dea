import CipherDatabase
import Foundation
public import StoreContract
public import StoreKeyring

/// What a rotation did.
public struct KeyRotation: Sendable {
  /// The code of the new key; the old code no longer opens the store, only copies made before.
  public let recoveryCode: RecoveryCode
  /// How many older keys were removed from vaults.
  public let retired: Int
  /// Vaults that still hold an older key, since they only lend keys or failed to remove it.
  public let vaultsWithOldKeys: [String]
  /// Copies beside the store, made by migrations, that have the new key too.
  public let rotatedCopies: [String]
  /// Copies that could not be given the new key; the vaults keep the older ones for them.
  public let remainingCopies: [String]
}

extension SQLCipherStore {
  /// Encrypts a whole store under a new key, which is first stored in every vault of the
  /// description that stores keys.
  ///
  /// The store must not be open; an open store rotates its key itself (`rotateKey()`). At every
  /// instant a vault has the key that opens the file: the old key is removed only after the file
  /// was closed, opened with the new key and read whole. The salt, and so the store's UUID, stays.
  /// About 60 MB a second.
  ///
  /// Copies that migrations left beside the store (`STORE.before-migration`) get the new key after
  /// it, unless old keys stay.
  ///
  /// - Parameters:
  ///   - description: The store, with all its vaults.
  ///   - keepingOldKeys: Leaves older keys in the vaults, so that older copies of the file stay
  ///     readable.
  ///   - removingOtherPassphrases: Goes on when `STORE.keys` has keys under passphrases that no
  ///     vault of the description opens, which would open the store no more, and removes them there
  ///     (unless old keys stay).
  ///   - progress: Called from time to time with what was done so far.
  /// - Returns: The new recovery code, and what was done to older keys and copies.
  /// - Throws: `StoreError`: `busy` when another connection has the store open, `fileDamaged`,
  ///   `rotationFailed` when the store is as it was under its old key; `KeyringError` when a vault
  ///   fails, `vaultNotNamed` when there are such passphrases; nothing was changed then.
  public static func rotateKey(
    of description: PersistentStoreDescription, keepingOldKeys: Bool = false,
    removingOtherPassphrases: Bool = false,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws -> KeyRotation {
    let access = try await WholeFileAccess.open(description, for: .writing)
    defer { access.close() }
    try access.takeWhole(progress)
    return try await RotateKeyOperation(
      access: access, description: description, keepsOldKeys: keepingOldKeys,
      removesOtherPassphrases: removingOtherPassphrases, progress: progress
    ).run { _, change in try change() }
  }

  /// Encrypts this store, which stays open, under a new key.
  ///
  /// Contexts and their objects stay valid.
  ///
  /// Reads and saves that are under way are finished first; later ones, on all threads of this
  /// program, wait until the file is encrypted (about 60 MB a second). No other program may have
  /// the store open, and no context of this program may be pinned to a query generation. Otherwise
  /// as `rotateKey(of:)`.
  /// - Throws: as `rotateKey(of:)`, `busy` for a store that is open exclusively, `fileReplaced`
  ///   when another file has the store's path; the store is open as before, unless the file itself
  ///   can no longer be opened.
  public func rotateKey(
    keepingOldKeys: Bool = false, removingOtherPassphrases: Bool = false,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws -> KeyRotation {
    let session = try open.session
    let pool = session.pool
    if storeDescription.isExclusive {
      throw StoreError(
        .busy,
        "the store is open exclusively; close it and call SQLCipherStore.rotateKey(of:) to change its key")
    }
    try checkWritable()
    var description = storeDescription
    // The key is known as long as the path names the open file.
    description.knownCipher = KnownCipher(session.cipher)
    let access = try await WholeFileAccess.open(description, for: .writing)
    defer { access.close() }
    // The path may name another file by now.
    guard access.file.isSame(as: pool.file) else {
      throw StoreError(
        .fileReplaced, "\(path) is another file than the one that is open; nothing was changed")
    }
    let waiting = storeDescription.busyTimeoutMilliseconds
    let rotation = try await RotateKeyOperation(
      access: access, description: description, keepsOldKeys: keepingOldKeys,
      removesOtherPassphrases: removingOtherPassphrases, isOfOpenStore: true,
      progress: progress
    ).run { keys, change in
      try pool.suspended(reopeningWith: keys, waiting: waiting) {
        defer { access.connection.close() }
        try access.takeWhole(others: 1, progress)
        try change()
      }
    }
    updateSession(OpenSession(pool, access.cipher.with(rotation.recoveryCode.key)))
    return rotation
  }

  /// Puts a store's key into further vaults, without touching the file.
  /// - Throws: as opening does, and what the vaults throw; on failure none has it.
  public static func copyKey(
    of description: PersistentStoreDescription, to vaults: [any KeyVault]
  ) async throws {
    let access = try await WholeFileAccess.open(description, for: .reading)
    // Retained until the vaults are done, so that the key does not change meanwhile.
    defer { access.close() }
    _ = try await KeyLifecycle(vaults: vaults, interaction: description.keyInteraction)
      .add(access.key, for: access.store, label: description.keyLabel)
  }

  /// Moves a store's key to other vaults: it is removed from the description's own only when the
  /// others gave it back.
  ///
  /// Older keys, by which older copies of the file open, stay where they are.
  /// - Returns: Vaults that still hold it, since they only lend keys or failed to remove it.
  /// - Throws: as `copyKey(of:to:)`.
  @discardableResult
  public static func moveKey(
    of description: PersistentStoreDescription, to vaults: [any KeyVault]
  ) async throws -> [String] {
    let access = try await WholeFileAccess.open(description, for: .reading)
    // Retained until the vaults are done, so that the key does not change meanwhile.
    defer { access.close() }
    let life = KeyLifecycle(vaults: vaults, interaction: description.keyInteraction)
    let storedKeys = try await life.add(access.key, for: access.store, label: description.keyLabel)
    let new = Set(storedKeys.map(\.identifier))
    var holding: [String] = []
    for vault in description.keyVaults {
      do {
        for old in try await vault.keys(for: access.store, interaction: description.keyInteraction)
        where !new.contains(old.identifier) && old.key.isSame(as: access.key) {
          try await vault.remove(old.identifier, for: access.store, interaction: description.keyInteraction)
        }
      } catch {
        holding.append(vault.name)
      }
    }
    // However the vaults hang together: what was moved is read, not believed.
    if await life.copies(of: access.key, for: access.store).isEmpty {
      _ = try await life.add(access.key, for: access.store, label: description.keyLabel)
    }
    return holding
  }

  /// Removes a store's key from one vault; older keys in it stay.
  ///
  /// Two vaults with the same items, through a link or under two names, count as one
  /// (`KeyVault.location`). The other copy is read before the key is removed, and again after.
  ///
  /// - Parameters:
  ///   - description: The store, with all its vaults.
  ///   - vault: The vault to forget the key; another one of the description must still hold the key
  ///     that opens the store.
  /// - Throws: `StoreError` with code `keyMissing` when no other vault holds it: the last copy is
  ///   never removed.
  public static func forgetKey(
    of description: PersistentStoreDescription, in vault: any KeyVault
  ) async throws {
    var description = description
    // A key that the program has itself is no copy.
    description.storeKey = nil
    let access = try await WholeFileAccess.open(description, for: .reading)
    // Retained until the vaults are done, so that the key does not change meanwhile.
    defer { access.close() }
    do {
      try await KeyLifecycle(vaults: description.keyVaults, interaction: description.keyInteraction)
        .forget(access.key, for: access.store, in: vault, label: description.keyLabel)
    } catch let error as KeyringError where error.code == .lastCopy {
      throw StoreError(.keyMissing, error.message)
    }
  }
}
