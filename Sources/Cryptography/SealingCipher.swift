import CLibCrypto
package import Foundation

/// AES-256-GCM under one key, as NIST SP 800-38D has it.
///
/// What is sealed is the nonce of 12 bytes, the encrypted bytes and a tag of 16. One thread at a time
/// uses it.
package final class SealingCipher {
  package static let nonceSize = 12
  package static let tagSize = 16
  private static let algorithm = Algorithm(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil), "AES-256-GCM")

  /// Has the key.
  private let context: OpaquePointer

  /// - Precondition: The key has 32 bytes.
  /// - Throws: `CryptographyError` when there is no memory.
  package init(_ key: SecretKey) throws(CryptographyError) {
    precondition(key.withUnsafeBytes(\.count) == 32, "AES-256 takes keys of 32 bytes")
    context = try CryptographyError.check(EVP_CIPHER_CTX_new(), "encrypt")
    let result = key.withUnsafeBytes {
      EVP_CipherInit_ex2(
        context, Self.algorithm.pointer, $0.bindMemory(to: UInt8.self).baseAddress, nil, 1, nil)
    }
    try CryptographyError.check(result, "encrypt")
  }

  deinit { EVP_CIPHER_CTX_free(context) }

  /// Encrypts bytes, and authenticates them and others, with a nonce of 12 bytes that is never used twice
  /// under the key: a random one unless given.
  /// - Throws: `CryptographyError` when there is no memory.
  package func seal(
    _ plain: UnsafeRawBufferPointer, nonce: [UInt8]? = nil, authenticating others: [UInt8]
  ) throws(CryptographyError) -> Data {
    let nonce = nonce ?? (0..<Self.nonceSize).map { _ in UInt8.random(in: 0...255) }
    precondition(nonce.count == Self.nonceSize, "AES-GCM takes nonces of 12 bytes here")
    // Zeros at once: appended one by one they would take longer than the encryption.
    var sealed = Data(count: Self.nonceSize + plain.count + Self.tagSize)
    try begin(nonce, others, isSealing: true)
    let result = sealed.withUnsafeMutableBytes { bytes -> Int32 in
      bytes.copyBytes(from: nonce)
      let target = bytes.baseAddress?.advanced(by: Self.nonceSize).assumingMemoryBound(to: UInt8.self)
      var size: Int32 = 0
      var rest: Int32 = 0
      guard
        EVP_EncryptUpdate(
          context, target, &size, plain.bindMemory(to: UInt8.self).baseAddress, Int32(plain.count)) == 1,
        EVP_EncryptFinal_ex(context, target?.advanced(by: Int(size)), &rest) == 1
      else { return 0 }
      return EVP_CIPHER_CTX_ctrl(
        context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagSize), target?.advanced(by: plain.count))
    }
    try CryptographyError.check(result, "encrypt")
    return sealed
  }

  /// The bytes that were sealed; nil when these or the others are not those that were authenticated.
  ///
  /// - Throws: `CryptographyError` when there is no memory.
  package func open(
    _ sealed: Data, authenticating others: [UInt8]
  ) throws(CryptographyError) -> Data? {
    let count = sealed.count - Self.nonceSize - Self.tagSize
    if count < 0 { return nil }
    try begin([UInt8](sealed.prefix(Self.nonceSize)), others, isSealing: false)
    var tag = [UInt8](sealed.suffix(Self.tagSize))
    let body = sealed.dropFirst(Self.nonceSize).prefix(count)
    var plain = Data(count: count)
    let isAuthentic = plain.withUnsafeMutableBytes { target -> Bool in
      let target = target.bindMemory(to: UInt8.self).baseAddress
      return body.withUnsafeBytes { body -> Bool in
        var size: Int32 = 0
        var rest: Int32 = 0
        return EVP_DecryptUpdate(
          context, target, &size, body.bindMemory(to: UInt8.self).baseAddress, Int32(count)) == 1
          && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagSize), &tag) == 1
          && EVP_DecryptFinal_ex(context, target?.advanced(by: Int(size)), &rest) == 1
      }
    }
    if isAuthentic { return plain }
    plain.resetBytes(in: 0..<count)
    return nil
  }

  private func begin(
    _ nonce: [UInt8], _ others: [UInt8], isSealing: Bool
  ) throws(CryptographyError) {
    var size: Int32 = 0
    try CryptographyError.check(
      EVP_CipherInit_ex2(context, nil, nil, nonce, isSealing ? 1 : 0, nil), "encrypt")
    try CryptographyError.check(
      EVP_CipherUpdate(context, nil, &size, others, Int32(others.count)), "authenticate")
  }
}
