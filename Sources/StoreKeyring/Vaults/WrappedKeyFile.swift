package import Foundation

/// The file of wrapped keys beside a store, `STORE.keys`.
///
/// None of its functions needs a passphrase.
package struct WrappedKeyFile: Sendable {
  package let url: URL

  /// Whether the store is on a server, beside which no file can be.
  private let isBesideServer: Bool

  package init(beside store: URL) {
    url = URL(fileURLWithPath: store.path + ".keys")
    isBesideServer = store.scheme != nil && !store.isFileURL
  }

  private var file: SafeFile {
    get throws {
      if !isBesideServer { return SafeFile(url) }
      throw KeyringError(
        .storageFailed,
        "a store on a server has no file of keys beside it; make the vault with the URL of a file of this"
          + " machine")
    }
  }

  private struct Contents: Codable {
    var format = 1
    var keys: [WrappedKey] = []
  }

  /// The wrapped keys of a store, oldest first.
  /// - Throws: `KeyringError` with code `itemDamaged`, `keyFileExposed` or `vaultUnreachable`.
  func keys(for store: UUID) throws -> [WrappedKey] {
    try contents(file.read()).keys.filter { $0.store == store }
  }

  /// The identifiers of a store's wrapped keys, whatever their passphrases.
  /// - Throws: The same errors as `keys(for:)`.
  package func identifiers(for store: UUID) throws -> [KeyIdentifier] {
    try keys(for: store).map { KeyIdentifier($0.identifier) }
  }

  /// Adds a wrapped key.
  /// - Throws: `KeyringError`; the file is then unchanged. The code is `storageFailed` when the
  ///   total cost of the store's keys would exceed the bound of `PassphraseCost`.
  func add(_ key: WrappedKey) throws {
    try file.change { old in
      var contents = try contents(old)
      contents.keys.append(key)
      let keys = contents.keys.filter { $0.store == key.store }
      guard PassphraseCost.isBearable(keys.map(\.cost)) else {
        throw KeyringError(
          .storageFailed,
          "\(url.path) already has \(keys.count - 1) of the store's keys, and trying one more would take"
            + " too long;"
            + " remove older ones"
        )
      }
      return try Self.encode(contents)
    }
  }

  /// Removes wrapped keys of a store.
  /// - Throws: `KeyringError`; the file is then unchanged.
  package func remove(_ identifiers: Set<KeyIdentifier>, for store: UUID) throws {
    try file.change { old in
      guard old != nil else { return nil }
      var contents = try contents(old)
      let count = contents.keys.count
      contents.keys.removeAll { $0.store == store && identifiers.contains(KeyIdentifier($0.identifier)) }
      return contents.keys.count < count ? try Self.encode(contents) : nil
    }
  }

  private func contents(_ bytes: SecretBytes?) throws -> Contents {
    guard let bytes else { return Contents() }
    let contents: Contents
    do {
      contents = try bytes.withUnsafeBytes { try JSONDecoder().decode(Contents.self, from: Data($0)) }
    } catch {
      throw KeyringError(
        .itemDamaged, "\(url.path) is damaged; restore a copy of it, or use the recovery code")
    }
    guard contents.format == 1 else {
      throw KeyringError(.itemDamaged, "\(url.path) was written by a newer version; update the program")
    }
    return contents
  }

  private static func encode(_ contents: Contents) throws -> SecretBytes {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return try encoder.encode(contents).withUnsafeBytes { SecretBytes($0) }
  }
}
