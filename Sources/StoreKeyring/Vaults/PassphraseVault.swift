public import Foundation

/// Keys wrapped with a passphrase, in a small file beside the store (`STORE.keys`).
///
/// The store's own bytes do not depend on the passphrase: changing it wraps the same key again.
public struct PassphraseVault: KeyVault {
  private let file: WrappedKeyFile
  private let cost: PassphraseCost
  private let passphrase: @Sendable () async throws -> SecretBytes

  /// Creates a vault over the key file beside a store.
  /// - Parameters:
  ///   - store: The store's file. The wrapped keys are in a file with the same name plus `.keys`.
  ///   - cost: The cost of a guess for keys that are added.
  ///   - passphrase: Called when the passphrase is needed. Returns UTF-8 in composed form, without
  ///     a line ending.
  public init(
    beside store: URL, cost: PassphraseCost = .standard,
    passphrase: @escaping @Sendable () async throws -> SecretBytes
  ) {
    file = WrappedKeyFile(beside: store)
    self.cost = cost
    self.passphrase = passphrase
  }

  /// The vault's name in messages.
  public var name: String { "the passphrase file \(file.url.path)" }

  /// The file itself, whichever path it is reached by.
  ///
  /// Vaults with different passphrases may share a file, with an item each.
  public var location: KeyVaultLocation? { KeyVaultLocation(file: file.url) }

  /// Every key of a store that the passphrase unwraps, newest first.
  ///
  /// The passphrase is asked for once, and only when the file has a key of the store. Each key
  /// takes one derivation.
  /// - Throws: `KeyringError` with code `wrongPassphrase` when it unwraps no key, `vaultLocked`
  ///   when the passphrase may not be asked for, `keyFileExposed`, or `itemDamaged`, also when the
  ///   file's total cost exceeds the bound of `PassphraseCost`; and whatever the passphrase closure
  ///   throws.
  public func keys(for store: UUID, interaction: KeyInteraction) async throws -> [StoredKey] {
    let wrapped = try file.keys(for: store)
    if wrapped.isEmpty { return [] }
    guard PassphraseCost.isBearable(wrapped.map(\.cost)) else {
      throw KeyringError(
        .itemDamaged,
        "\(file.url.path) demands more work than any file this library writes; restore a copy of it")
    }
    let text = try await passphrase()
    var keys: [StoredKey] = []
    var refusal: (any Error)?
    for one in wrapped {
      if Task.isCancelled { throw KeyringError(.cancelled, "opening \(file.url.path) was cancelled") }
      do { keys.append(try one.key(text, in: self)) } catch { refusal = error }
    }
    if keys.isEmpty, let refusal { throw refusal }
    return keys.reversed()
  }

  /// Wraps a key and adds it, and returns after it has been read back and unwrapped.
  /// - Throws: `KeyringError`; the file is then unchanged.
  public func add(
    _ key: StoreKey, for store: UUID, label: String, interaction: KeyInteraction
  ) async throws -> KeyIdentifier {
    guard cost.isBearable else {
      throw KeyringError(
        .storageFailed,
        "the passphrase cost is out of bounds: rounds must be a power of two, and memory at most 1 GiB")
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
      else { throw KeyringError(.readBackFailed, "\(name) stored the key but did not return it") }
    } catch {
      try? file.remove([identifier], for: store)
      throw error
    }
    return identifier
  }

  /// Removes a wrapped key.
  ///
  /// This does not need the passphrase.
  /// - Throws: `KeyringError`; the file is then unchanged.
  public func remove(_ identifier: KeyIdentifier, for store: UUID, interaction: KeyInteraction) async throws {
    try file.remove([identifier], for: store)
  }
}
