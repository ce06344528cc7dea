import CLibCrypto

/// AES-256 in CBC mode without padding, which SQLCipher encrypts pages with.
package enum BlockCipher {
  private static let algorithm = Algorithm(EVP_CIPHER_fetch(nil, "AES-256-CBC", nil), "AES-256-CBC")

  /// Decrypts whole blocks of 16 bytes.
  ///
  /// - Throws: `CryptographyError` for another length, and when there is no memory.
  package static func decrypt(
    _ bytes: UnsafeRawBufferPointer, key: SecretKey, vector: UnsafeRawBufferPointer
  ) throws(CryptographyError) -> [UInt8] {
    let context = try CryptographyError.check(EVP_CIPHER_CTX_new(), "decrypt")
    defer { EVP_CIPHER_CTX_free(context) }
    let isBegun = key.withUnsafeBytes { key in
      EVP_DecryptInit_ex2(
        context, algorithm.pointer, key.bindMemory(to: UInt8.self).baseAddress,
        vector.bindMemory(to: UInt8.self).baseAddress, nil)
    }
    try CryptographyError.check(vector.count == 16 ? isBegun : 0, "decrypt")
    EVP_CIPHER_CTX_set_padding(context, 0)
    var plain = [UInt8](repeating: 0, count: bytes.count + 16)
    var size: Int32 = 0
    var rest: Int32 = 0
    try CryptographyError.check(
      EVP_DecryptUpdate(
        context, &plain, &size, bytes.bindMemory(to: UInt8.self).baseAddress, Int32(bytes.count)), "decrypt")
    let done = Int(size)
    let result = plain.withUnsafeMutableBufferPointer {
      EVP_DecryptFinal_ex(context, $0.baseAddress?.advanced(by: done), &rest)
    }
    try CryptographyError.check(result, "decrypt")
    plain.removeSubrange((done + Int(rest))...)
    return plain
  }
}
