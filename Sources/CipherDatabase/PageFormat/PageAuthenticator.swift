import Crypto
import CryptoExtras
import Foundation
import Glibc

/// Checks pages of an encrypted database against their MACs without SQLite, as SQLCipher's design
/// page describes them: an HMAC over ciphertext, initialization vector and page number, its key
/// derived from the page key with the salt's bytes exclusive-or 0x3a, in two rounds of PBKDF2.
package struct PageAuthenticator: Sendable {
  package let format: PageFormat
  private let macKey: SymmetricKey
  private let cipherKey: SymmetricKey

  package init(key: UnsafeRawBufferPointer, salt: [UInt8], format: PageFormat) throws {
    self.format = format
    cipherKey = SymmetricKey(data: key)
    macKey = try KDF.Insecure.PBKDF2.deriveKey(
      from: key, salt: salt.map { $0 ^ 0x3a }, using: format.version >= 4 ? .sha512 : .insecureSHA1,
      outputByteCount: 32, unsafeUncheckedRounds: 2)
  }

  /// Whether a page is what was written with the key under this number, from 1.
  package func holds(_ page: UnsafeRawBufferPointer, number: UInt32) -> Bool {
    guard page.count == format.pageSize else { return false }
    let start = number == 1 ? 16 : 0
    let end = format.pageSize - format.reserve + 16
    let body = UnsafeRawBufferPointer(rebasing: page[start..<end])
    let mac = page[end...]
    switch format.authentication {
    case .none: return number == 1 && hasHeader(page)
    case .sha1: return Self.mac(Insecure.SHA1.self, macKey, body, number).elementsEqual(mac.prefix(20))
    case .sha256: return Self.mac(SHA256.self, macKey, body, number).elementsEqual(mac.prefix(32))
    case .sha512: return Self.mac(SHA512.self, macKey, body, number).elementsEqual(mac.prefix(64))
    }
  }

  private static func mac<H: HashFunction>(
    _ hash: H.Type, _ key: SymmetricKey, _ body: UnsafeRawBufferPointer, _ number: UInt32
  ) -> HMAC<H>.MAC {
    var mac = HMAC<H>(key: key)
    mac.update(data: body)
    withUnsafeBytes(of: number.littleEndian) { mac.update(data: $0) }
    return mac.finalize()
  }

  /// For files without MACs: whether the first page, decrypted, has the constants of SQLite's
  /// header.
  private func hasHeader(_ page: UnsafeRawBufferPointer) -> Bool {
    let vector = page[(format.pageSize - format.reserve)...].prefix(16)
    guard let iv = try? AES._CBC.IV(ivBytes: vector),
      let plain = try? AES._CBC.decrypt(page[16..<32], using: cipherKey, iv: iv, noPadding: true)
    else { return false }
    let bytes = Array(plain)
    let size = Int(bytes[0]) << 8 | Int(bytes[1])
    return (size == format.pageSize || size == 1 && format.pageSize == 65536)
      && bytes[4] == UInt8(format.reserve)
      && bytes[5...7].elementsEqual([64, 32, 32])
  }
}
