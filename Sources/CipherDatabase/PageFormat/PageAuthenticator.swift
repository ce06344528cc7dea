import Cryptography

/// Checks pages of an encrypted database against their MACs without SQLite, as SQLCipher's design
/// page describes them: an HMAC over ciphertext, initialization vector and page number, its key
/// derived from the page key with the salt's bytes exclusive-or 0x3a, in two rounds of PBKDF2.
package struct PageAuthenticator: Sendable {
  package let format: PageFormat
  /// Nil for files without MACs.
  private let authenticator: MessageAuthenticator?
  private let key: SecretKey

  /// - Throws: `CryptographyError` when there is no memory.
  package init(key: UnsafeRawBufferPointer, salt: [UInt8], format: PageFormat) throws {
    self.format = format
    self.key = SecretKey(key)
    let hash: Hash? =
      switch format.authentication {
      case .none: nil
      case .sha1: .sha1
      case .sha256: .sha256
      case .sha512: .sha512
      }
    authenticator = try hash.map {
      let key = try SecretKey.pbkdf2(
        key, salt: salt.map { $0 ^ 0x3a }, format.version >= 4 ? .sha512 : .sha1, rounds: 2)
      return try MessageAuthenticator($0, key: key)
    }
  }

  /// Whether a page is what was written with the key under this number, from 1.
  package func holds(_ page: UnsafeRawBufferPointer, number: UInt32) -> Bool {
    guard page.count == format.pageSize else { return false }
    let start = number == 1 ? 16 : 0
    let end = format.pageSize - format.reserve + 16
    let body = UnsafeRawBufferPointer(rebasing: page[start..<end])
    guard let authenticator else { return number == 1 && hasHeader(page) }
    let code = try? withUnsafeBytes(of: number.littleEndian) { try authenticator.code(of: body, $0) }
    return code?.elementsEqual(page[end...].prefix(code?.count ?? 0)) ?? false
  }

  /// For files without MACs: whether the first page, decrypted, has the constants of SQLite's
  /// header.
  private func hasHeader(_ page: UnsafeRawBufferPointer) -> Bool {
    let vector = page[(format.pageSize - format.reserve)...].prefix(16)
    guard
      let bytes = try? BlockCipher.decrypt(
        UnsafeRawBufferPointer(rebasing: page[16..<32]), key: key,
        vector: UnsafeRawBufferPointer(rebasing: vector))
    else { return false }
    let size = Int(bytes[0]) << 8 | Int(bytes[1])
    return (size == format.pageSize || size == 1 && format.pageSize == 65536)
      && bytes[4] == UInt8(format.reserve)
      && bytes[5...7].elementsEqual([64, 32, 32])
  }
}
