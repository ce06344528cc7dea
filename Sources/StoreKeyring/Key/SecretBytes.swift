import Glibc

/// Bytes in memory that is locked where the system allows, left out of core files, and wiped when
/// released.
///
/// It has no text form on purpose: neither `description` nor a mirror shows the bytes.
public final class SecretBytes: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
  // @unchecked: the bytes are written during initialization and only read afterwards.
  private let memory: UnsafeMutableRawBufferPointer
  private let size: Int

  /// Allocates a number of bytes and lets a closure fill them.
  ///
  /// Rethrows the closure's error.
  public init(count: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    // Whole pages, so that locking and unlocking do not affect other allocations.
    size = max(count + page - 1, page) / page * page
    var raw: UnsafeMutableRawPointer?
    posix_memalign(&raw, page, size)
    // As Swift's own allocations do: a key must never silently have no bytes.
    guard let raw else { fatalError("out of memory") }
    // Both may fail where locked memory is limited; the bytes are wiped in any case.
    mlock(raw, size)
    madvise(raw, size, MADV_DONTDUMP)
    memory = UnsafeMutableRawBufferPointer(start: raw, count: count)
    do {
      try fill(memory)
    } catch {
      Self.release(raw, size)
      throw error
    }
  }

  /// Copies bytes.
  ///
  /// The caller wipes the originals.
  public convenience init(_ bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
  }

  deinit { memory.baseAddress.map { Self.release($0, size) } }

  private static func release(_ start: UnsafeMutableRawPointer, _ size: Int) {
    explicit_bzero(start, size)
    munlock(start, size)
    madvise(start, size, MADV_DODUMP)
    free(start)
  }

  /// The number of bytes.
  public var count: Int { memory.count }

  /// Calls a closure with the bytes, which are valid only during the call.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(memory))
  }

  /// Whether both hold the same bytes, compared in constant time for equal lengths.
  public func isSame(as other: SecretBytes) -> Bool {
    count == other.count && zip(memory, other.memory).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// A fixed text that never shows the bytes.
  public var description: String { "SecretBytes(redacted)" }
  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
