import Glibc

/// Bytes in memory that is locked where the system allows, left out of core files, and wiped when let go.
///
/// Has no text form on purpose; neither `description` nor a mirror shows it.
public final class SecretBytes: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
  // @unchecked: the bytes are written while it is made and only read after.
  private let memory: UnsafeMutableRawBufferPointer
  private let size: Int

  /// Makes room and lets a closure fill it.
  public init(count: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    // Whole pages of its own, so that neither locking nor its end touches a neighbour.
    size = max(count + page - 1, page) / page * page
    var raw: UnsafeMutableRawPointer?
    posix_memalign(&raw, page, size)
    // As Swift's own allocations do; a key must never silently be of no bytes.
    guard let raw else { fatalError("out of memory") }
    // Both may be refused where locked memory is limited; the bytes are wiped all the same.
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

  /// Copies bytes; wipe yours.
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

  /// Lends the bytes; they must not be kept.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(memory))
  }

  /// Whether two are the same, in a time that does not tell where they differ.
  public func isSame(as other: SecretBytes) -> Bool {
    count == other.count && zip(memory, other.memory).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// Never the bytes.
  public var description: String { "SecretBytes(redacted)" }
  /// Empty.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
