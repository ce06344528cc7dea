import CipherDatabase
import Foundation
import StoreKeyring

/// What opens a store's file: its UUID, which is the salt, its key, and its page format.
struct StoreCipher: Sendable {
  let store: UUID
  let key: StoreKey
  let format: CipherFormat

  /// The key as SQLCipher takes it.
  var spec: CipherKeySpec { get throws { try CipherKeySpec(key, store: store) } }

  var recoveryCode: RecoveryCode { RecoveryCode(key, for: store) }

  /// The same file after a rotation.
  func with(_ key: StoreKey) -> StoreCipher { StoreCipher(store: store, key: key, format: format) }

  /// Checks pages against their MACs.
  func authenticator() throws -> PageAuthenticator {
    let salt = withUnsafeBytes(of: store.uuid) { Array($0) }
    return try key.withUnsafeBytes {
      try PageAuthenticator(key: $0, salt: salt, format: format.pages)
    }
  }
}

extension CipherKeySpec {
  init(_ key: StoreKey, store: UUID) throws {
    self = try key.withUnsafeBytes { key in
      try withUnsafeBytes(of: store.uuid) { try CipherKeySpec(key: key, salt: $0) }
    }
  }
}
