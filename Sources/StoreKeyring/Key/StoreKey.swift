import Glibc

/// The 256-bit key of a store, in memory that is locked where the system allows and wiped when
/// released.
///
/// It has no text form on purpose: neither `description` nor a mirror shows the key.
public final class StoreKey: Sendable, CustomStringConvertible, CustomReflectable {
  private let secret: SecretBytes
  /// The number of bytes of a key.
  public static let byteCount = 32

  /// Creates a random key with the system's generator.
  public init() {
    var generator = SystemRandomNumberGenerator()
    secret = SecretBytes(count: Self.byteCount) { bytes in
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        bytes.storeBytes(of: generator.next(), toByteOffset: offset, as: UInt64.self)
      }
    }
  }

  /// Copies a key's bytes.
  ///
  /// The caller wipes the originals.
  /// - Throws: `KeyringError` with code `itemDamaged` unless there are 32.
  public init(bytes: UnsafeRawBufferPointer) throws {
    guard bytes.count == Self.byteCount else {
      throw KeyringError(.itemDamaged, "a store's key must have 32 bytes; check where it comes from")
    }
    secret = SecretBytes(bytes)
  }

  /// Calls a closure with the bytes, which are valid only during the call.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try secret.withUnsafeBytes(body)
  }

  /// Calls a closure with the key as 64 lowercase hex digits in ASCII, which are wiped afterwards.
  public func withHexText<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withUnsafeTemporaryAllocation(byteCount: Self.byteCount * 2, alignment: 1) { text in
      defer { text.baseAddress.map { explicit_bzero($0, text.count) } }
      secret.withUnsafeBytes { bytes in
        for (index, byte) in bytes.enumerated() {
          text[index * 2] = Self.digit(byte >> 4)
          text[index * 2 + 1] = Self.digit(byte & 15)
        }
      }
      return try body(UnsafeRawBufferPointer(text))
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

  /// Whether two keys are the same, compared in constant time.
  public func isSame(as other: StoreKey) -> Bool { secret.isSame(as: other.secret) }

  /// A fixed text that never shows the key.
  public var description: String { "StoreKey(redacted)" }
  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
