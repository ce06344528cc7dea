import Glibc

/// Bytes that stay out of swap and core files and are wiped when released.
package final class LockedBytes: @unchecked Sendable {
  // @unchecked: written only while it is made, read only after.
  private let memory: UnsafeMutableRawBufferPointer

  /// Makes room and lets the closure fill it.
  package init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let size = (count + page - 1) / page * page
    var raw: UnsafeMutableRawPointer?
    // Whole pages of its own, so that neither locking nor its end touches a neighbour.
    posix_memalign(&raw, page, size)
    memory = UnsafeMutableRawBufferPointer(start: raw, count: count)
    // Both may be refused where locked memory is limited; the bytes are wiped all the same.
    if let raw {
      mlock(raw, size)
      madvise(raw, size, MADV_DONTDUMP)
    }
    fill(memory)
  }

  deinit {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let size = (memory.count + page - 1) / page * page
    guard let start = memory.baseAddress else { return }
    explicit_bzero(start, memory.count)
    munlock(start, size)
    madvise(start, size, MADV_DODUMP)
    free(start)
  }

  package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(memory))
  }
}
