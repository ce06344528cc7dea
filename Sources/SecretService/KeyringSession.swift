import Foundation
import StoreKeyring

/// Access to a keyring for the duration of one call.
protocol KeyringSession {
  /// Every readable key of a store, after unlocking.
  func keys(_ store: UUID, of vault: SecretServiceVault, interaction: KeyInteraction) throws -> [StoredKey]
  /// Stores a key. The caller reads it back.
  func add(
    _ key: StoreKey, _ store: UUID, _ identifier: KeyIdentifier, application: String, label: String,
    interaction: KeyInteraction
  ) throws
  func remove(_ store: UUID, _ identifier: KeyIdentifier, interaction: KeyInteraction)
    throws
  /// The text of a store's history head; nil where there is none.
  func head(_ store: UUID, interaction: KeyInteraction) throws -> String?
  /// Stores a text in the place of the one before.
  func setHead(_ text: String, _ store: UUID, label: String, interaction: KeyInteraction) throws
  /// The secret of an account; nil where there is none.
  func password(_ account: ServerAccount, interaction: KeyInteraction) throws -> SecretBytes?
  /// Stores a secret in the place of the one before. The caller reads it back.
  func setPassword(
    _ password: SecretBytes, _ account: ServerAccount, label: String, interaction: KeyInteraction
  ) throws
  func removePassword(_ account: ServerAccount, interaction: KeyInteraction) throws
}

extension KeyringSession {
  /// The keys of the items that can be read, newest first.
  ///
  /// Throws the error of a damaged item only when no item can be read.
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
