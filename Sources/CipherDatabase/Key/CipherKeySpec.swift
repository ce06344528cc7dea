import Glibc

/// A key and salt in the one form that SQLCipher takes as they are: `x'<64 hex><32 hex>'`, 99
/// bytes.
///
/// Any other length or alphabet would silently be taken for a passphrase, so the text is only ever
/// made here.
package struct CipherKeySpec: Sendable, CustomStringConvertible {
  private let text: LockedBytes
  package let salt: [UInt8]

  /// - Throws: `misuse` unless there are 32 bytes of key and 16 of salt.
  package init(key: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer) throws(CipherError) {
    guard key.count == 32, salt.count == 16 else {
      throw CipherError(.misuse, "a key has 32 bytes and a salt 16")
    }
    self.salt = Array(salt)
    text = LockedBytes(count: 99) { out in
      var index = 0
      func put(_ byte: UInt8) {
        out[index] = byte
        index += 1
      }
      func hex(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 48 + nibble : 87 + nibble }
      put(UInt8(ascii: "x"))
      put(UInt8(ascii: "'"))
      for part in [key, salt] {
        for byte in part {
          put(hex(byte >> 4))
          put(hex(byte & 15))
        }
      }
      put(UInt8(ascii: "'"))
    }
  }

  func withText<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try text.withUnsafeBytes(body)
  }

  /// Lends the 32 bytes of key, wiped afterwards.
  func withKey<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { bytes in
      defer { bytes.baseAddress.map { explicit_bzero($0, bytes.count) } }
      text.withUnsafeBytes { text in
        func value(_ digit: UInt8) -> UInt8 { digit < 97 ? digit - 48 : digit - 87 }
        for index in 0..<32 { bytes[index] = value(text[2 + index * 2]) << 4 | value(text[3 + index * 2]) }
      }
      return try body(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Never the key.
  package var description: String { "CipherKeySpec(redacted)" }
}
