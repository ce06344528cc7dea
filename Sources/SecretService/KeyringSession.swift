import Foundation
import StoreKeyring

/// One call's way to a keyring.
protocol KeyringSession {
  /// Every key of a store, unlocked; those that can be read.
  func keys(_ store: UUID, of vault: SecretServiceVault, interaction: KeyInteraction) throws -> [StoredKey]
  /// Stores a key; it is looked for again by the caller.
  func add(
    _ key: StoreKey, _ store: UUID, _ identifier: KeyIdentifier, application: String, label: String,
    interaction: KeyInteraction
  ) throws
  func remove(_ store: UUID, _ identifier: KeyIdentifier, interaction: KeyInteraction)
    throws
}

extension KeyringSession {
  /// What of some items can be read; a damaged one beside whole ones does no harm.
  func readable<Item>(_ items: [Item], _ read: (Item) throws -> StoredKey) throws -> [StoredKey] {
    var keys: [StoredKey] = []
    var damage: (any Error)?
    for item in items {
      do { keys.append(try read(item)) } catch { damage = error }
    }
    if keys.isEmpty, let damage { throw damage }
    return keys.sorted { ($0.created ?? .distantPast) > ($1.created ?? .distantPast) }
  }
}
