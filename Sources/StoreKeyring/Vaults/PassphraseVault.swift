public import Foundation

/// Keys under a passphrase, in a small file beside the store (`STORE.keys`). The store's own bytes do not depend on it:
/// changing the passphrase wraps the same key anew.
public struct PassphraseVault: KeyVault {
  private let file: WrappedKeyFile
  private let cost: PassphraseCost
  private let passphrase: @Sendable () async throws -> SecretBytes

  /// Works with the file beside a store.
  /// - Parameters:
  ///   - store: The store's file; the wrapped keys are in the file of that name with `.keys` added.
  ///   - cost: What a guess is to cost, for keys that are added.
  ///   - passphrase: Asked for the passphrase when it is needed; UTF-8 in composed form, without a line's end.
  public init(
    beside store: URL, cost: PassphraseCost = .standard,
    passphrase: @escaping @Sendable () async throws -> SecretBytes
  ) {
    file = WrappedKeyFile(beside: store)
    self.cost = cost
    self.passphrase = passphrase
  }

  /// What messages call it.
  public var name: String { "the passphrase file \(file.url.path)" }

  /// The file, whatever names lead to it. Vaults with different passphrases may be in one file, with an item each.
  public var location: KeyVaultLocation? { KeyVaultLocation(file: file.url) }

  /// Every key of a store that the passphrase opens, newest first. The passphrase is asked for once, and only when the file
  /// has a key of the store; each takes one derivation.
  /// - Throws: `KeyringError`: `wrongPassphrase` when it opens none, `vaultLocked` when it may not be asked for,
  ///   `keyFileExposed`, `itemDamaged`, also when the file asks for more work than `PassphraseCost` bears, and what the asking
  ///   throws.
  public func keys(for store: UUID, interaction: KeyInteraction) async throws -> [StoredKey] {
    let wrapped = try file.keys(for: store)
    if wrapped.isEmpty { return [] }
    guard PassphraseCost.isBearable(wrapped.map(\.cost)) else {
      throw KeyringError(
        .itemDamaged,
        "\(file.url.path) asks for more work than any file this library makes; restore a copy of it")
    }
    let text = try await passphrase()
    var keys: [StoredKey] = []
    var refusal: (any Error)?
    for one in wrapped {
      if Task.isCancelled { throw KeyringError(.cancelled, "the opening of \(file.url.path) was cancelled") }
      do { keys.append(try one.key(text, in: self)) } catch { refusal = error }
    }
    if keys.isEmpty, let refusal { throw refusal }
    return keys.reversed()
  }

  /// Wraps a key and adds it, and answers when it has been read back and opened.
  /// - Throws: `KeyringError`; the file is then as it was.
  public func add(
    _ key: StoreKey, for store: UUID, label: String, interaction: KeyInteraction
  ) async throws -> KeyIdentifier {
    guard cost.isBearable else {
      throw KeyringError(.storageFailed, "the cost asked for is no power of two, or over 1 GiB of memory")
    }
    let text = try await passphrase()
    guard text.count > 0 else {
      throw KeyringError(.storageFailed, "an empty passphrase protects nothing; choose one")
    }
    let identifier = KeyIdentifier()
    let wrapped = try WrappedKey(key, for: store, passphrase: text, cost: cost, identifier: identifier)
    try file.add(wrapped)
    do {
      guard let back = try file.keys(for: store).first(where: { $0.identifier == identifier.description }),
        try back.key(text, in: self).key.isSame(as: key)
      else { throw KeyringError(.readBackFailed, "\(name) took the key but did not give it back") }
    } catch {
      try? file.remove([identifier], for: store)
      throw error
    }
    return identifier
  }

  /// Takes a wrapped key out; the passphrase is not needed.
  /// - Throws: `KeyringError`; the file is then as it was.
  public func remove(_ identifier: KeyIdentifier, for store: UUID, interaction: KeyInteraction) async throws {
    try file.remove([identifier], for: store)
  }
}
