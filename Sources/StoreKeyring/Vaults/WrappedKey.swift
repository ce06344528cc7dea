import Crypto
import CryptoExtras
import Foundation

/// A key under a passphrase: AES-256-GCM with a key that scrypt makes; everything else in it is authenticated along.
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

  /// - Throws: `KeyringError`: `wrongPassphrase`, or `itemDamaged` when the parameters are out of bounds.
  func key(_ passphrase: SecretBytes, in vault: any KeyVault) throws -> StoredKey {
    guard cost.isBearable else {
      throw KeyringError(.itemDamaged, "the wrapped key asks for more work than any this library makes")
    }
    let wrapping = try Self.wrapping(passphrase, cost, salt)
    var opened: Data
    do {
      opened = try AES.GCM.open(
        AES.GCM.SealedBox(combined: sealed), using: wrapping, authenticating: authenticated)
    } catch {
      throw KeyringError(
        .wrongPassphrase,
        "the passphrase does not open the wrapped key, or the file beside the store was changed")
    }
    defer { opened.resetBytes(in: 0..<opened.count) }
    return StoredKey(
      identifier: KeyIdentifier(identifier), store: store,
      key: try opened.withUnsafeBytes { try StoreKey(bytes: $0) },
      created: Date(timeIntervalSince1970: created), in: vault)
  }

  private var authenticated: Data {
    Data(
      "strongroom key 1|\(identifier)|\(store.uuidString)|\(created)|\(cost.rounds)|\(cost.blockSize)|\(cost.parallelism)"
        .utf8)
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
