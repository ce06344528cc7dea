public import Foundation

/// The permanent identifier of a key item: 16 random bytes as 32 hex digits.
public struct KeyIdentifier: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The hex digits.
  public let description: String

  /// Creates a new identifier.
  public init() { description = UUID().uuidString.filter { $0 != "-" }.lowercased() }

  /// Creates an identifier from its text form.
  public init(_ text: String) { description = text }
}

/// One key as a vault stores it.
public struct StoredKey: Sendable {
  /// The identifier of the key item.
  public let identifier: KeyIdentifier
  /// The store the key is for.
  public let store: UUID
  /// The key.
  public let key: StoreKey
  /// When the item was created, if the vault knows.
  public let created: Date?
  /// The vault that the key was read from or added to.
  public let vault: any KeyVault

  /// Creates a record of a stored key.
  public init(identifier: KeyIdentifier, store: UUID, key: StoreKey, created: Date?, in vault: any KeyVault) {
    self.identifier = identifier
    self.store = store
    self.key = key
    self.created = created
    self.vault = vault
  }
}

/// Whether a vault may prompt the user.
public enum KeyInteraction: Sendable {
  /// The vault fails rather than prompts.
  case silent
  /// The vault may show a prompt to unlock it.
  case prompt
}

/// Storage for the keys of stores.
///
/// Items are added and removed, and never changed.
public protocol KeyVault: Sendable {
  /// The vault's name in messages.
  var name: String { get }

  /// Whether keys can be read but neither added nor removed.
  var isReadOnly: Bool { get }

  /// Where the vault's items are stored. Vaults with equal locations hold the same items.
  ///
  /// Nil when the vault cannot say; items with equal identifiers then count as the same.
  var location: KeyVaultLocation? { get }

  /// Every key of a store, newest first. Empty only when the vault is unlocked and has none.
  /// - Throws: `KeyringError` when the vault is locked, unreachable, or cannot tell whether it has
  ///   a key.
  func keys(for store: UUID, interaction: KeyInteraction) async throws -> [StoredKey]

  /// Adds a key under a new identifier, and returns after it has been read back and compared.
  /// - Throws: `KeyringError`; the vault is then unchanged.
  func add(
    _ key: StoreKey, for store: UUID, label: String, interaction: KeyInteraction
  ) async throws -> KeyIdentifier

  /// Removes one key. Removing a key that is no longer there is not an error.
  /// - Throws: `KeyringError`.
  func remove(_ identifier: KeyIdentifier, for store: UUID, interaction: KeyInteraction) async throws
}

extension KeyVault {
  /// False by default.
  public var isReadOnly: Bool { false }

  /// Nil by default.
  public var location: KeyVaultLocation? { nil }

  /// Throws, which is the behavior of a read-only vault.
  /// - Throws: `KeyringError` with code `vaultReadOnly`.
  public func add(
    _ key: StoreKey, for store: UUID, label: String, interaction: KeyInteraction
  ) async throws -> KeyIdentifier {
    throw KeyringError(
      .vaultReadOnly, "\(name) is read-only; name another vault to store the key in")
  }

  /// Throws, which is the behavior of a read-only vault.
  /// - Throws: `KeyringError` with code `vaultReadOnly`.
  public func remove(_ identifier: KeyIdentifier, for store: UUID, interaction: KeyInteraction) async throws {
    throw KeyringError(.vaultReadOnly, "\(name) is read-only; a key cannot be removed from it here")
  }
}
