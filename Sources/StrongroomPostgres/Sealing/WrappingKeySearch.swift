import Foundation
import StoreContract
import StoreKeyring
import StoreKeys

/// Finds the key that wraps a store's keys in the vaults that a description names, and makes one for a store
/// that has none.
struct WrappingKeySearch {
  private let description: PersistentStoreDescription

  init(_ description: PersistentStoreDescription) { self.description = description }

  /// The first key of the vaults that unwraps a store's keys; no key is made.
  /// - Throws: `StoreError`: `keyMissing` where no vault has a key of the store, `wrongKey` where none of
  ///   theirs unwraps; `KeyringError` where no vault had a key and one could not answer.
  func key(of store: UUID, unwrapping record: SealingRecord) async throws -> StoreKey {
    var tried = 0
    if let key = description.storeKey {
      if try record.keys(for: store, unwrappedBy: key) != nil { return key }
      throw wrong([])
    }
    if description.keyVaults.isEmpty { throw Self.noVault }
    var silence: [(vault: String, error: any Error)] = []
    for vault in description.keyVaults {
      do {
        for stored in try await vault.keys(for: store, interaction: description.keyInteraction) {
          tried += 1
          if try record.keys(for: store, unwrappedBy: stored.key) != nil { return stored.key }
        }
      } catch let error as KeyringError { silence.append((vault.name, error)) }
    }
    if tried > 0 { throw wrong(silence) }
    if let first = silence.first { throw first.error }
    let names = description.keyVaults.map(\.name).joined(separator: ", ")
    throw StoreError(
      .keyMissing,
      "the key of the store on the server is not in \(names); no new one is made, since it could not open the"
        + " sealed values; copy the key from where the store was made, or open with the recovery code")
  }

  private func wrong(_ silence: [(vault: String, error: any Error)]) -> StoreError {
    StoreError(
      .wrongKey,
      "the key found for the store on the server does not open its sealed values: one of them is of before a"
        + " change of the key, as a backup is; bring the key that the store had then, or its recovery code"
        + silence.map { "; \($0.vault) could not be asked" }.joined(), cause: silence.first?.error)
  }

  static let noVault = StoreError(
    .keyMissing,
    "the model seals attributes, and the store's description names no key vault and no key; set keyVaults")

  /// A key for a store that has no sealed values: the one of a read-only vault, or a new one, which each
  /// vault that can store keys has when this returns.
  ///
  /// A key that is in another vault already may be one that another program is about to remove.
  /// - Returns: The key, and the items that were made for it.
  /// - Throws: `keyMissing` where the description names no vault; `KeyringError` where none stores keys or
  ///   one fails, and then none has the new key.
  func newKey(for store: UUID) async throws -> (key: StoreKey, added: [StoredKey]) {
    if let key = description.storeKey { return (key, []) }
    if description.keyVaults.isEmpty { throw Self.noVault }
    for vault in description.keyVaults where vault.isReadOnly {
      do {
        let known = try await vault.keys(for: store, interaction: description.keyInteraction)
        if let known = known.first { return (known.key, []) }
      } catch is KeyringError { continue }
    }
    let key = StoreKey()
    return (key, try await lifecycle.add(key, for: store, label: description.keyLabel))
  }

  /// Removes items that were made for a key that no store has.
  func forget(_ added: [StoredKey]) async { await lifecycle.forget(added) }

  var lifecycle: KeyLifecycle {
    KeyLifecycle(vaults: description.keyVaults, interaction: description.keyInteraction)
  }
}
