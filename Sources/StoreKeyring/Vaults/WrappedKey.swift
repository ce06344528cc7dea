import Cryptography
import Foundation

/// A key wrapped with a passphrase: AES-256-GCM under a key that scrypt derives.
///
/// All other fields are authenticated.
struct WrappedKey: Codable, Sendable {
  var identifier: String
  var store: UUID
  var created: Double  // seconds since 1970
  var cost: PassphraseCost
  var salt: Data
  var sealed: Data

  init(
    _ key: StoreKey, for store: UUID, passphrase: SecretBytes, cost: PassphraseCost, identifier: KeyIdentifier
  ) throws {
    self.identifier = identifier.description
    self.store = store
    created = Date().timeIntervalSince1970.rounded()
    self.cost = cost
    salt = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
    sealed = Data()
    let cipher = try Self.cipher(passphrase, cost, salt)
    sealed = try key.withUnsafeBytes { try cipher.seal($0, authenticating: authenticated) }
  }

  /// Unwraps the key.
  /// - Throws: `KeyringError` with code `wrongPassphrase`, or `itemDamaged` when the cost is out of
  ///   bounds.
  func key(_ passphrase: SecretBytes, in vault: any KeyVault) throws -> StoredKey {
    guard cost.isBearable else {
      throw KeyringError(.itemDamaged, "the wrapped key demands more work than any this library writes")
    }
    let cipher = try Self.cipher(passphrase, cost, salt)
    guard var opened = try cipher.open(sealed, authenticating: authenticated) else {
      throw KeyringError(
        .wrongPassphrase,
        "the passphrase does not unwrap the key, or the key file beside the store was changed; type it again,"
          + " or open the store with the recovery code")
    }
    defer { opened.resetBytes(in: 0..<opened.count) }
    return StoredKey(
      identifier: KeyIdentifier(identifier), store: store,
      key: try opened.withUnsafeBytes { try StoreKey(bytes: $0) },
      created: Date(timeIntervalSince1970: created), in: vault)
  }

  private var authenticated: [UInt8] {
    Array(
      ("strongroom key 1|\(identifier)|\(store.uuidString)|\(created)"
        + "|\(cost.rounds)|\(cost.blockSize)|\(cost.parallelism)").utf8)
  }

  private static func cipher(
    _ passphrase: SecretBytes, _ cost: PassphraseCost, _ salt: Data
  ) throws -> SealingCipher {
    do {
      return try SealingCipher(
        passphrase.withUnsafeBytes {
          try SecretKey.scrypt(
            $0, salt: Array(salt), rounds: cost.rounds, blockSize: cost.blockSize,
            parallelism: cost.parallelism)
        })
    } catch let error as CryptographyError {
      throw KeyringError(.vaultStateUnknown, error.description)
    }
  }
}
