public import Foundation

/// Makes keys, under the one rule that keeps data: never for a file that exists.
public struct KeyLife: Sendable {
  let vault: any KeyVault

  /// Works with a vault.
  public init(vault: any KeyVault) { self.vault = vault }

  /// Makes the first key of a new store. It is in the vault, read back, when this answers.
  /// - Throws: `KeyringError` with code `fileExists` when the store's file is there, `keyExists` when the vault has a
  ///   key for it, and whatever the vault throws when it cannot be sure.
  public func createKey(
    for store: UUID, storeFileExists: Bool, label: String, interaction: KeyInteraction
  ) async throws -> StoredKey {
    guard !storeFileExists else {
      throw KeyringError(
        .fileExists,
        "the store's file exists, so a new key could not open it; bring back the key it was made with")
    }
    guard try await vault.keys(for: store, interaction: interaction).isEmpty else {
      throw KeyringError(.keyExists, "\(vault.name) has a key for this store already; open the store with it")
    }
    let key = StoreKey()
    let identifier = try await vault.add(key, for: store, label: label, interaction: interaction)
    return StoredKey(identifier: identifier, store: store, key: key, created: Date())
  }
}
