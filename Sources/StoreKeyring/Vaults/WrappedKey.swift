import Crypto
import CryptoExtras
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
    let wrapping = try Self.wrapping(passphrase, cost, salt)
    sealed = try key.withUnsafeBytes { bytes in
      try AES.GCM.seal(bytes, using: wrapping, authenticating: authenticated).combined ?? Data()
    }
  }

  /// Unwraps the key.
  /// - Throws: `KeyringError` with code `wrongPassphrase`, or `itemDamaged` when the cost is out of
  ///   bounds.
  func key(_ passphrase: SecretBytes, in vault: any KeyVault) throws -> StoredKey {
    guard cost.isBearable else {
      throw KeyringError(.itemDamaged, "the wrapped key demands more work than any this library writes")
    }
    let wrapping = try Self.wrapping(passphrase, cost, salt)
    var opened: Data
    do {
      opened = try AES.GCM.open(
        AES.GCM.SealedBox(combined: sealed), using: wrapping, authenticating: authenticated)
    } catch {
      throw KeyringError(
        .wrongPassphrase,
        "the passphrase does not unwrap the key, or the key file beside the store was changed")
    }
    defer { opened.resetBytes(in: 0..<opened.count) }
    return StoredKey(
      identifier: KeyIdentifier(identifier), store: store,
      key: try opened.withUnsafeBytes { try StoreKey(bytes: $0) },
      created: Date(timeIntervalSince1970: created), in: vault)
  }

  private var authenticated: Data {
    Data(
      ("strongroom key 1|\(identifier)|\(store.uuidString)|\(created)"
        + "|\(cost.rounds)|\(cost.blockSize)|\(cost.parallelism)").utf8)
  }

  private static func wrapping(_ passphrase: SecretBytes, _ cost: PassphraseCost, _ salt: Data) throws
    -> SymmetricKey
  {
    try passphrase.withUnsafeBytes { text in
      try KDF.Scrypt.deriveKey(
        from: text, salt: salt, outputByteCount: 32, rounds: cost.rounds, blockSize: cost.blockSize,
        parallelism: cost.parallelism)
    }
  }
}
