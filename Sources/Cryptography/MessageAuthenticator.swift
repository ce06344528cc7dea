import CLibCrypto

/// Authentication codes of messages under one key: HMAC, as RFC 2104 has it.
package final class MessageAuthenticator: @unchecked Sendable {
  // @unchecked: the context is only copied after `init`.
  private static let algorithm = Algorithm(EVP_MAC_fetch(nil, "HMAC", nil), "HMAC")

  /// Has the key.
  private let context: OpaquePointer

  /// - Throws: `CryptographyError` when there is no memory.
  package init(_ hash: Hash, key: SecretKey) throws(CryptographyError) {
    context = try CryptographyError.check(EVP_MAC_CTX_new(Self.algorithm.pointer), "authenticate")
    var name = Array(hash.rawValue.utf8CString)
    // The parameter points to both texts, which have to be there until the call ends.
    let result = OSSL_MAC_PARAM_DIGEST.withCString { digest in
      name.withUnsafeMutableBufferPointer { name in
        let parameters = [
          OSSL_PARAM_construct_utf8_string(digest, name.baseAddress, 0),
          OSSL_PARAM_construct_end(),
        ]
        return key.withUnsafeBytes {
          EVP_MAC_init(context, $0.bindMemory(to: UInt8.self).baseAddress, $0.count, parameters)
        }
      }
    }
    try CryptographyError.check(result, "authenticate")
  }

  deinit { EVP_MAC_CTX_free(context) }

  /// The code of a message in two parts.
  ///
  /// From any thread.
  /// - Throws: `CryptographyError` when there is no memory.
  package func code(
    of first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
  ) throws(CryptographyError) -> [UInt8] {
    let copy = try CryptographyError.check(EVP_MAC_CTX_dup(context), "authenticate")
    defer { EVP_MAC_CTX_free(copy) }
    for part in [first, second] {
      let bytes = part.bindMemory(to: UInt8.self).baseAddress
      try CryptographyError.check(EVP_MAC_update(copy, bytes, part.count), "authenticate")
    }
    var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var size = 0
    try CryptographyError.check(EVP_MAC_final(copy, &code, &size, code.count), "authenticate")
    code.removeSubrange(size...)
    return code
  }
}
