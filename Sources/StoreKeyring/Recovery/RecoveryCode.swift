import Cryptography
public import Foundation
import Glibc

/// A store's key in a form that people can write down and read out: twelve groups of five
/// characters.
///
/// The characters are Crockford's base 32: no I, L, O or U. Case does not matter, and O, I and L
/// are read as 0, 1 and 1.
///
/// The sixty characters encode 4 bits of version, 10 bits that identify the store, 256 bits of key,
/// and a checksum of six characters that detects every single wrong character and every swap of
/// two. The code and the file together open the store. Rotating the key changes the code.
public final class RecoveryCode: Sendable, CustomStringConvertible, CustomReflectable {
  /// The key.
  public let key: StoreKey
  private let tag: UInt16

  static let symbolCount = 60
  static let groupLength = 5
  private static let version: UInt8 = 0
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// Creates the code of a store's key.
  public init(_ key: StoreKey, for store: UUID) {
    self.key = key
    tag = Self.tag(store)
  }

  /// Reads a code as a person typed it, ignoring spaces, dashes, underscores and line breaks.
  /// - Throws: `KeyringError` with code `recoveryCodeInvalid` and a message that says what is
  ///   wrong: an invalid character, too few or too many characters, a wrong checksum, or a newer
  ///   version.
  public init(text: UnsafeRawBufferPointer) throws {
    (key, tag) = try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.symbolCount) { symbols in
      defer { symbols.baseAddress.map { explicit_bzero($0, symbols.count) } }
      var count = 0
      for byte in text where !Self.isFiller(byte) {
        guard let symbol = Self.symbol(byte) else {
          throw KeyringError(
            .recoveryCodeInvalid,
            "character \(count + 1) of the recovery code is invalid; use digits and letters other than U"
          )
        }
        if count < symbols.count { symbols[count] = symbol }
        count += 1
      }
      guard count == symbols.count else {
        throw KeyringError(
          .recoveryCodeInvalid, "a recovery code has \(symbols.count) characters; this one has \(count)")
      }
      guard RecoveryCodeChecksum.holds(symbols) else {
        throw KeyringError(
          .recoveryCodeInvalid,
          "the recovery code's checksum does not match: a character is wrong or two are swapped")
      }
      return try Self.parse(symbols)
    }
  }

  /// Whether the code may belong to a store.
  ///
  /// False is certain. The code of another store passes in one of 1,024 cases.
  public func mayBelong(to store: UUID) -> Bool { tag == Self.tag(store) }

  /// Calls a closure with the code in ASCII, its groups separated by dashes.
  ///
  /// The text is wiped afterwards.
  public func withText<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.symbolCount) { symbols in
      defer { symbols.baseAddress.map { explicit_bzero($0, symbols.count) } }
      fill(symbols)
      let length = Self.symbolCount + Self.symbolCount / Self.groupLength - 1
      return try withUnsafeTemporaryAllocation(byteCount: length, alignment: 1) { text in
        defer { text.baseAddress.map { explicit_bzero($0, text.count) } }
        var end = 0
        for (index, symbol) in symbols.enumerated() {
          if index > 0, index % Self.groupLength == 0 {
            text[end] = UInt8(ascii: "-")
            end += 1
          }
          text[end] = Self.alphabet[Int(symbol)]
          end += 1
        }
        return try body(UnsafeRawBufferPointer(text))
      }
    }
  }

  /// A fixed text that never shows the code.
  public var description: String { "RecoveryCode(redacted)" }
  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: [:]) }

  // MARK: Symbols

  private func fill(_ symbols: UnsafeMutableBufferPointer<UInt8>) {
    var bits = UInt32(Self.version) << 10 | UInt32(tag)
    var count = 14
    var index = 0
    func drain() {
      while count >= 5 {
        count -= 5
        symbols[index] = UInt8(bits >> UInt32(count) & 31)
        index += 1
      }
      bits &= (1 << UInt32(count)) - 1
    }
    drain()
    key.withUnsafeBytes { bytes in
      for byte in bytes {
        bits = bits << 8 | UInt32(byte)
        count += 8
        drain()
      }
    }
    RecoveryCodeChecksum.fill(symbols)
  }

  private static func parse(_ symbols: UnsafeMutableBufferPointer<UInt8>) throws -> (StoreKey, UInt16) {
    var head: UInt32 = 0
    for symbol in symbols.prefix(3) { head = head << 5 | UInt32(symbol) }
    // 15 bits: 4 of version, 10 of tag, and the first bit of the key.
    guard head >> 11 == UInt32(version) else {
      throw KeyringError(
        .recoveryCodeInvalid, "the recovery code was made by a newer version; update the program")
    }
    let key = try withUnsafeTemporaryAllocation(byteCount: StoreKey.byteCount, alignment: 8) { bytes in
      defer { bytes.baseAddress.map { explicit_bzero($0, bytes.count) } }
      var bits = head & 1
      var count = 1
      var index = 0
      for symbol in symbols[3..<symbolCount - RecoveryCodeChecksum.count] {
        bits = bits << 5 | UInt32(symbol)
        count += 5
        if count >= 8 {
          count -= 8
          bytes[index] = UInt8(truncatingIfNeeded: bits >> UInt32(count))
          index += 1
        }
      }
      return try StoreKey(bytes: UnsafeRawBufferPointer(bytes))
    }
    return (key, UInt16(head >> 1 & 0x3FF))
  }

  private static func tag(_ store: UUID) -> UInt16 {
    let hash = withUnsafeBytes(of: store.uuid) { Digest.of($0) }
    return hash.prefix(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) } >> 6
  }

  private static func isFiller(_ byte: UInt8) -> Bool { [32, 9, 10, 13, 45, 95].contains(byte) }

  private static func symbol(_ byte: UInt8) -> UInt8? {
    let upper = byte >= 97 && byte <= 122 ? byte - 32 : byte
    switch upper {
    case UInt8(ascii: "O"): return 0
    case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
    default: return alphabet.firstIndex(of: upper).map(UInt8.init)
    }
  }
}
