public import Foundation

/// Names one key item for ever: 16 random bytes as 32 hex digits.
public struct KeyIdentifier: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The hex digits.
  public let description: String

  /// Makes a new identifier.
  public init() { description = UUID().uuidString.filter { $0 != "-" }.lowercased() }

  /// Takes the text form.
  public init(_ text: String) { description = text }
}

/// One key as a vault holds it.
public struct StoredKey: Sendable {
  /// The item.
  public let identifier: KeyIdentifier
  /// The store the key is for.
  public let store: UUID
  /// The key.
  public let key: StoreKey
  /// When the item was made, if the vault knows.
  public let created: Date?
  /// The vault that holds it.
  public let vault: any KeyVault

  /// Makes a stored key.
  public init(identifier: KeyIdentifier, store: UUID, key: StoreKey, created: Date?, in vault: any KeyVault) {
    self.identifier = identifier
    self.store = store
    self.key = key
    self.created = created
    self.vault = vault
  }
}

/// Whether a vault may ask the user.
public enum KeyInteraction: Sendable {
  /// Fail rather than ask.
  case silent
  /// A prompt to unlock may be shown.
  case prompt
}

/// A place that holds the keys of stores. Items are added and removed and never changed.
public protocol KeyVault: Sendable {
  /// What messages call it.
  var name: String { get }

  /// Whether keys can be had but neither added nor removed.
  var isReadOnly: Bool { get }

  /// Where its items are: two vaults of one location are one place, whatever they are called. Nil when the vault cannot tell;
  /// items of equal identifiers are then taken for the same.
  var location: KeyVaultLocation? { get }

  /// Every key of a store, newest first. Empty only when the vault is open and has none.
  /// - Throws: `KeyringError` when the vault is locked, out of reach, or in doubt.
  func keys(for store: UUID, interaction: KeyInteraction) async throws -> [StoredKey]

  /// Adds a key under a new identifier, and answers when it has been read back and is the same.
  /// - Throws: `KeyringError`; the vault is then as it was.
  func add(
    _ key: StoreKey, for store: UUID, label: String, interaction: KeyInteraction
  ) async throws -> KeyIdentifier

  /// Removes one key. No error when it is gone already.
  /// - Throws: `KeyringError`.
  func remove(_ identifier: KeyIdentifier, for store: UUID, interaction: KeyInteraction) async throws
}

extension KeyVault {
  /// Most vaults keep keys.
  public var isReadOnly: Bool { false }

  /// Unknown.
  public var location: KeyVaultLocation? { nil }

  /// Refuses, as vaults that only lend keys do.
  /// - Throws: `KeyringError` with code `vaultReadOnly`.
  public func add(
    _ key: StoreKey, for store: UUID, label: String, interaction: KeyInteraction
  ) async throws -> KeyIdentifier {
    throw KeyringError(
      .vaultReadOnly, "\(name) lends keys and keeps none; name another vault to keep the key in")
  }

  /// Refuses, as vaults that only lend keys do.
  /// - Throws: `KeyringError` with code `vaultReadOnly`.
  public func remove(_ identifier: KeyIdentifier, for store: UUID, interaction: KeyInteraction) async throws {
    throw KeyringError(.vaultReadOnly, "\(name) lends keys; a key cannot be removed from it here")
  }
}
