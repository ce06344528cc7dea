import Cryptography
package import Foundation
import Glibc

/// The text of a key item: `v1:` key in hex `:` store in hex `:` checksum.
///
/// It is a single line of ASCII, because some keyrings do not preserve anything else.
package enum KeyItem {
  static let length = 3 + 64 + 1 + 32 + 1 + 8

  /// Calls a closure with the text, which is wiped afterwards.
  package static func withText<R>(
    _ key: StoreKey, store: UUID, _ body: (UnsafeMutableRawBufferPointer) throws -> R
  ) rethrows -> R {
    try withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { text in
      defer { text.baseAddress.map { explicit_bzero($0, text.count) } }
      var end = 0
      func put(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
          text[end] = byte
          end += 1
        }
      }
      put("v1:".utf8)
      key.withHexText { put($0) }
      put(":".utf8)
      put(hex(withUnsafeBytes(of: store.uuid) { Array($0) }))
      let sum = checksum(UnsafeRawBufferPointer(rebasing: text[..<end]))
      put(":".utf8)
      put(sum)
      return try body(text)
    }
  }

  /// A text without the line end that editors and shells put behind it.
  private static func line(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var end = text.count
    while end > length, [10, 13].contains(text[end - 1]) { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: text[..<end])
  }

  /// The store that an item's text names; nil when it names none.
  package static func store(_ text: UnsafeRawBufferPointer) -> UUID? {
    let text = line(text)
    guard text.count == length else { return nil }
    let digits = String(decoding: text[68..<100], as: UTF8.self)
    var dashed = digits
    for place in [20, 16, 12, 8] { dashed.insert("-", at: dashed.index(dashed.startIndex, offsetBy: place)) }
    return UUID(uuidString: dashed)
  }

  /// Reads a key of 64 hex digits.
  /// - Throws: `KeyringError` with code `itemDamaged`.
  package static func key(hex text: UnsafeRawBufferPointer) throws -> StoreKey {
    try withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { bytes in
      defer { bytes.baseAddress.map { explicit_bzero($0, bytes.count) } }
      for index in 0..<32 {
        guard text.count == 64, let high = nibble(text[index * 2]), let low = nibble(text[index * 2 + 1])
        else {
          throw KeyringError(.itemDamaged, "a key must have 64 hex digits; check where it comes from")
        }
        bytes[index] = high << 4 | low
      }
      return try StoreKey(bytes: UnsafeRawBufferPointer(bytes))
    }
  }

  /// Reads the key in an item's text.
  /// - Throws: `KeyringError` with code `itemDamaged` when the text holds no key, or the key of
  ///   another store.
  package static func key(_ text: UnsafeRawBufferPointer, store: UUID) throws -> StoreKey {
    let text = line(text)
    let damaged = KeyringError(
      .itemDamaged,
      "an item of the vault does not hold a key of this store; another program may have changed it:"
        + " undo that, or restore the key with the recovery code")
    guard text.count == length, text.starts(with: "v1:".utf8), text[67] == 58, text[100] == 58,
      text[101...].elementsEqual(checksum(UnsafeRawBufferPointer(rebasing: text[..<100]))),
      text[68..<100].elementsEqual(hex(withUnsafeBytes(of: store.uuid) { Array($0) }))
    else { throw damaged }
    return try key(hex: UnsafeRawBufferPointer(rebasing: text[3..<67]))
  }

  private static func nibble(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 48...57: digit - 48
    case 97...102: digit - 87
    default: nil
    }
  }

  private static func hex(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }

  private static func checksum(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    hex(Digest.of(bytes).prefix(4))
  }
}
