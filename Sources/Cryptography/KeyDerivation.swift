import CLibCrypto

/// Keys that are made of passphrases and of other keys.
extension SecretKey {
  /// By scrypt, as RFC 7914 has it: `rounds` is N there, a power of two, `blockSize` r and `parallelism` p.
  ///
  /// Memory is 128 times N times r bytes.
  /// - Throws: `CryptographyError` for other parameters, and when there is no memory.
  package static func scrypt(
    _ passphrase: UnsafeRawBufferPointer, salt: [UInt8], rounds: Int, blockSize: Int, parallelism: Int,
    byteCount: Int = 32
  ) throws(CryptographyError) -> SecretKey {
    try SecretKey(byteCount: byteCount) { (key) throws(CryptographyError) in
      // The default bound would refuse more than 32 MiB; the caller has bounds of its own.
      let result = EVP_PBE_scrypt(
        text(passphrase), passphrase.count, salt, salt.count, UInt64(rounds), UInt64(blockSize),
        UInt64(parallelism), UInt64(Int64.max), key.bindMemory(to: UInt8.self).baseAddress, byteCount)
      try CryptographyError.check(result, "derive a key of the passphrase; free memory, then try again")
    }
  }

  /// By PBKDF2, as RFC 8018 has it.
  /// - Throws: `CryptographyError` for no rounds, and when there is no memory.
  package static func pbkdf2(
    _ secret: UnsafeRawBufferPointer, salt: [UInt8], _ hash: Hash, rounds: Int, byteCount: Int = 32
  ) throws(CryptographyError) -> SecretKey {
    try SecretKey(byteCount: byteCount) { (key) throws(CryptographyError) in
      let result = PKCS5_PBKDF2_HMAC(
        text(secret), Int32(secret.count), salt, Int32(salt.count), Int32(rounds), hash.algorithm,
        Int32(byteCount), key.bindMemory(to: UInt8.self).baseAddress)
      try CryptographyError.check(result, "derive a key")
    }
  }

  /// Never nil, which libcrypto takes for no passphrase at all.
  private static func text(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<CChar> {
    bytes.bindMemory(to: CChar.self).baseAddress ?? empty.pointer
  }

  private struct Empty: @unchecked Sendable {
    // @unchecked: nothing writes to it.
    let pointer: UnsafePointer<CChar>
  }

  private static let empty: Empty = {
    let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return Empty(pointer: UnsafePointer(byte))
  }()
}
