public import Foundation

/// Makes, copies and forgets keys over several vaults, under the one rule that keeps data: never a new key for a file that
/// exists, and never the last copy of a key removed.
public struct KeyLifecycle: Sendable {
  let vaults: [any KeyVault]
  let interaction: KeyInteraction

  /// Works with vaults, in the order in which they are asked.
  public init(vaults: [any KeyVault], interaction: KeyInteraction = .silent) {
    self.vaults = vaults
    self.interaction = interaction
  }

  /// Makes the first key of a new store and puts it into every vault that keeps keys. It has been read back from each when
  /// this answers; on failure it is in none.
  /// - Throws: `KeyringError` with code `fileExists` when the store's file is there, `keyExists` when a vault has a
  ///   key for it, `vaultReadOnly` when no vault keeps keys, and whatever a vault throws when it cannot be sure.
  public func createKey(for store: UUID, storeFileExists: Bool, label: String) async throws -> [StoredKey] {
    guard !storeFileExists else {
      throw KeyringError(
        .fileExists,
        "the store's file exists, so a new key could not open it; bring back the key it was made with")
    }
    for vault in vaults where !vault.isReadOnly {
      guard try await vault.keys(for: store, interaction: interaction).isEmpty else {
        throw KeyringError(
          .keyExists, "\(vault.name) has a key for this store already; open the store with it")
      }
    }
    return try await add(StoreKey(), for: store, label: label)
  }

  /// Puts a key into every vault that keeps keys; on failure it is in none of them.
  /// - Throws: `KeyringError` with code `vaultReadOnly` when no vault keeps keys, and what vaults throw.
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
        .vaultReadOnly, "no vault was named that keeps keys; name a keyring, a passphrase or a file")
    }
    return stored
  }

  /// Removes keys that nothing was ever written with.
  public func forget(_ stored: [StoredKey]) async {
    for one in stored {
      try? await one.vault.remove(one.identifier, for: one.store, interaction: .silent)
    }
  }

  /// The keys that the vaults hold for a store now, and the names of the vaults that are read-only or could not be read.
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
