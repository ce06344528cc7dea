package import Foundation

/// The file of keys under passphrases beside a store, `STORE.keys`. What is done here needs no passphrase.
package struct WrappedKeyFile: Sendable {
  package let url: URL

  package init(beside store: URL) { url = URL(fileURLWithPath: store.path + ".keys") }

  private struct Contents: Codable {
    var format = 1
    var keys: [WrappedKey] = []
  }

  /// The wrapped keys of a store, oldest first.
  /// - Throws: `KeyringError`: `itemDamaged`, `keyFileExposed`, `vaultUnreachable`.
  func keys(for store: UUID) throws -> [WrappedKey] {
    try contents(SafeFile(url).read()).keys.filter { $0.store == store }
  }

  /// The identifiers of a store's wrapped keys, whatever their passphrases.
  /// - Throws: as `keys(for:)`.
  package func identifiers(for store: UUID) throws -> [KeyIdentifier] {
    try keys(for: store).map { KeyIdentifier($0.identifier) }
  }

  /// Adds a wrapped key.
  /// - Throws: `KeyringError`; the file is then as it was. `storageFailed` when opening all of the store's keys would take more
  ///   work than `PassphraseCost` bears.
  func add(_ key: WrappedKey) throws {
    try SafeFile(url).change { old in
      var contents = try contents(old)
      contents.keys.append(key)
      let own = contents.keys.filter { $0.store == key.store }
      guard PassphraseCost.isBearable(own.map(\.cost)) else {
        throw KeyringError(
          .storageFailed,
          "\(url.path) has \(own.count - 1) keys of the store, and opening one more would take too long; remove older ones"
        )
      }
      return try Self.encode(contents)
    }
  }

  /// Takes wrapped keys of a store out.
  /// - Throws: `KeyringError`; the file is then as it was.
  package func remove(_ identifiers: Set<KeyIdentifier>, for store: UUID) throws {
    try SafeFile(url).change { old in
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
