import Glibc

/// The 256-bit key of a store, in memory that is locked where the system allows and wiped when let go.
///
/// Has no text form on purpose; neither `description` nor a mirror shows it.
public final class StoreKey: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
  // @unchecked: the bytes are written while it is made and only read after.
  private let memory: UnsafeMutableRawBufferPointer
  private static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
  /// The number of bytes of a key.
  public static let byteCount = 32

  private init(fill: (UnsafeMutableRawBufferPointer) -> Void) {
    var raw: UnsafeMutableRawPointer?
    // A page of its own, so that neither locking nor its end touches a neighbour.
    posix_memalign(&raw, Self.pageSize, Self.pageSize)
    if let raw {
      // Both may be refused where locked memory is limited; the bytes are wiped all the same.
      mlock(raw, Self.pageSize)
      madvise(raw, Self.pageSize, MADV_DONTDUMP)
    }
    memory = UnsafeMutableRawBufferPointer(start: raw, count: raw == nil ? 0 : Self.byteCount)
    fill(memory)
  }

  /// Makes a random key from the system's generator.
  public convenience init() {
    var generator = SystemRandomNumberGenerator()
    self.init { bytes in
      for offset in stride(from: 0, to: bytes.count, by: 8) {
        bytes.storeBytes(of: generator.next(), toByteOffset: offset, as: UInt64.self)
      }
    }
  }

  /// Copies a key's bytes; wipe yours.
  /// - Throws: `KeyringError` with code `itemDamaged` unless there are 32.
  public convenience init(bytes: UnsafeRawBufferPointer) throws {
    guard bytes.count == Self.byteCount else {
      throw KeyringError(.itemDamaged, "a store's key has 32 bytes; check where it comes from")
    }
    self.init { $0.copyMemory(from: bytes) }
  }

  deinit {
    guard let start = memory.baseAddress else { return }
    explicit_bzero(start, Self.byteCount)
    munlock(start, Self.pageSize)
    madvise(start, Self.pageSize, MADV_DODUMP)
    free(start)
  }

  /// Lends the bytes; they must not be kept.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(memory))
  }

  /// Lends the key as 64 lower-case hex digits in ASCII, wiped afterwards.
  public func withHexText<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try withUnsafeTemporaryAllocation(byteCount: Self.byteCount * 2, alignment: 1) { text in
      for (index, byte) in memory.enumerated() {
        text[index * 2] = Self.digit(byte >> 4)
        text[index * 2 + 1] = Self.digit(byte & 15)
      }
      defer { text.baseAddress.map { explicit_bzero($0, text.count) } }
      return try body(UnsafeRawBufferPointer(text))
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

  /// Whether two keys are the same, in a time that does not tell where they differ.
  public func isSame(as other: StoreKey) -> Bool {
    zip(memory, other.memory).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Never the key.
  public var description: String { "StoreKey(redacted)" }
  /// Empty.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
