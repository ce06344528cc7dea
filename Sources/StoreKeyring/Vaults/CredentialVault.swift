public import Foundation
import Glibc

/// A read-only vault with a key that systemd passes to a service as a credential.
///
/// The credential is a file in `$CREDENTIALS_DIRECTORY`, set with `LoadCredentialEncrypted=` or
/// `SetCredentialEncrypted=`. It holds one key item, 64 hex digits, or 32 raw bytes.
public struct CredentialVault: KeyVault {
  private let credential: String
  private let directory: String?

  /// Creates a vault from a credential.
  /// - Parameters:
  ///   - credential: The credential's name.
  ///   - directory: The folder of the credentials; `$CREDENTIALS_DIRECTORY` by default.
  public init(_ credential: String = "strongroom-key", directory: URL? = nil) {
    self.credential = credential
    self.directory = directory?.path ?? ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"]
  }

  /// The vault's name in messages.
  public var name: String { "the systemd credential \(credential)" }
  /// True: the administrator sets systemd's credentials.
  public var isReadOnly: Bool { true }
  /// The credential's file.
  public var location: KeyVaultLocation? {
    directory.map { KeyVaultLocation(file: URL(fileURLWithPath: $0).appendingPathComponent(credential)) }
  }

  /// The credential's key; an empty array when the service has no such credential.
  /// - Throws: `KeyringError` with code `vaultUnreachable` outside a service, `keyFileExposed` or
  ///   `itemDamaged`.
  public func keys(for store: UUID, interaction: KeyInteraction) async throws -> [StoredKey] {
    guard let directory else {
      throw KeyringError(
        .vaultUnreachable,
        "$CREDENTIALS_DIRECTORY is not set: this process was not started by systemd with a credential")
    }
    guard !credential.contains("/"), !credential.hasPrefix(".") else {
      throw KeyringError(.vaultUnreachable, "\(credential) is not a valid credential name")
    }
    let url = URL(fileURLWithPath: directory).appendingPathComponent(credential)
    guard let contents = try SafeFile(url).read(limit: 4096, isCredential: true) else { return [] }
    let key = try contents.withUnsafeBytes { try Self.key($0, store) }
    return [StoredKey(identifier: KeyIdentifier(credential), store: store, key: key, created: nil, in: self)]
  }

  private static func key(_ contents: UnsafeRawBufferPointer, _ store: UUID) throws -> StoreKey {
    if contents.count == StoreKey.byteCount { return try StoreKey(bytes: contents) }
    let end = contents.lastIndex { $0 != 10 && $0 != 13 && $0 != 32 }.map { $0 + 1 } ?? 0
    let text = UnsafeRawBufferPointer(rebasing: contents[..<end])
    if text.count == StoreKey.byteCount * 2 { return try KeyItem.key(hex: text) }
    return try KeyItem.key(text, store: store)
  }
}
