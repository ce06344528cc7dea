public import Foundation

/// A key and the vault it lies in.
public struct KeptKey: Sendable {
  /// The vault.
  public let vault: any KeyVault
  /// The key as the vault holds it.
  public let stored: StoredKey
}

/// Makes, copies and forgets keys over several vaults, under the one rule that keeps data: never a new key for a file that
/// exists, and never the last copy of a key removed.
public struct KeyLife: Sendable {
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
  public func createKey(for store: UUID, storeFileExists: Bool, label: String) async throws -> [KeptKey] {
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
  public func add(_ key: StoreKey, for store: UUID, label: String) async throws -> [KeptKey] {
    var kept: [KeptKey] = []
    for vault in vaults where !vault.isReadOnly {
      do {
        let identifier = try await vault.add(key, for: store, label: label, interaction: interaction)
        kept.append(
          KeptKey(
            vault: vault, stored: StoredKey(identifier: identifier, store: store, key: key, created: Date())))
      } catch {
        await forget(kept)
        throw error
      }
    }
    guard !kept.isEmpty else {
      throw KeyringError(
        .vaultReadOnly, "no vault was named that keeps keys; name a keyring, a passphrase or a file")
    }
    return kept
  }

  /// Removes keys that nothing was ever written with.
  public func forget(_ kept: [KeptKey]) async {
    for one in kept {
      try? await one.vault.remove(one.stored.identifier, for: one.stored.store, interaction: .silent)
    }
  }

  /// The keys of a store that lie in vaults now, and the names of vaults that could not say or only lend them.
  public func held(for store: UUID) async -> (kept: [KeptKey], unasked: [String]) {
    var (kept, unasked): ([KeptKey], [String]) = ([], [])
    for vault in vaults {
      do {
        if vault.isReadOnly { throw KeyringError(.vaultReadOnly, vault.name) }
        kept += try await vault.keys(for: store, interaction: interaction).map {
          KeptKey(vault: vault, stored: $0)
        }
      } catch {
        unasked.append(vault.name)
      }
    }
    return (kept, unasked)
  }
}
