public import Foundation

/// Creates, copies and removes keys across several vaults.
///
/// Two rules protect the data: a file that exists never gets a new key, and the last copy of a key
/// is never removed.
public struct KeyLifecycle: Sendable {
  let vaults: [any KeyVault]
  let interaction: KeyInteraction

  /// Creates a lifecycle over vaults, which are asked in this order.
  public init(vaults: [any KeyVault], interaction: KeyInteraction = .silent) {
    self.vaults = vaults
    self.interaction = interaction
  }

  /// Creates the first key of a new store and adds it to every writable vault.
  ///
  /// When this returns, the key has been read back from each vault; on failure it is in none.
  /// - Throws: `KeyringError` with code `fileExists` when the store's file exists, `keyExists` when
  ///   a vault has a key for the store, `vaultReadOnly` when no vault is writable, and whatever a
  ///   vault throws when it cannot tell whether it has a key.
  public func createKey(for store: UUID, storeFileExists: Bool, label: String) async throws -> [StoredKey] {
    guard !storeFileExists else {
      throw KeyringError(
        .fileExists,
        "the store's file exists, so a new key could not open it; restore the key it was created with")
    }
    for vault in vaults where !vault.isReadOnly {
      guard try await vault.keys(for: store, interaction: interaction).isEmpty else {
        throw KeyringError(
          .keyExists, "\(vault.name) already has a key for this store; open the store with it")
      }
    }
    return try await add(StoreKey(), for: store, label: label)
  }

  /// Adds a key to every writable vault; on failure it is in none of them.
  /// - Throws: `KeyringError` with code `vaultReadOnly` when no vault is writable, and whatever a
  ///   vault throws.
  public func add(_ key: StoreKey, for store: UUID, label: String) async throws -> [StoredKey] {
    var stored: [StoredKey] = []
    for vault in vaults where !vault.isReadOnly {
      do {
        let identifier = try await vault.add(key, for: store, label: label, interaction: interaction)
        stored.append(
          StoredKey(identifier: identifier, store: store, key: key, created: Date(), in: vault))
      } catch {
        await forget(stored)
        throw error
      }
    }
    guard !stored.isEmpty else {
      throw KeyringError(
        .vaultReadOnly, "no named vault can store keys; name a keyring, a passphrase or a file")
    }
    return stored
  }

  /// Removes keys that have never encrypted anything.
  ///
  /// Errors are ignored.
  public func forget(_ stored: [StoredKey]) async {
    for one in stored {
      try? await one.vault.remove(one.identifier, for: one.store, interaction: .silent)
    }
  }

  /// The keys that the vaults hold for a store now, and the names of the vaults that are read-only
  /// or could not be read.
  public func storedKeys(for store: UUID) async -> (keys: [StoredKey], unavailableVaults: [String]) {
    var (stored, unavailable): ([StoredKey], [String]) = ([], [])
    for vault in vaults {
      do {
        if vault.isReadOnly { throw KeyringError(.vaultReadOnly, vault.name) }
        stored += try await vault.keys(for: store, interaction: interaction)
      } catch {
        unavailable.append(vault.name)
      }
    }
    return (stored, unavailable)
  }
}
