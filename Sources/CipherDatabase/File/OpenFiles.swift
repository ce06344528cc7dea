import Glibc
import Locks
import Synchronization

/// The database files that this process has open through SQLite.
///
/// When a process closes any descriptor of a file, POSIX drops all locks it has on that file, also those that SQLite took
/// through another. So a file that SQLite has open is read through a descriptor that stays open as long as SQLite's do.
package enum OpenFiles {
  private struct Identity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    init(_ status: stat) {
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
    }
  }

  private struct Entry: Sendable {
    var connections = 0
    var parked: [Int32] = []
  }

  private static let entries = Locked<[Identity: Entry]>([:])

  /// Notes a connection for as long as it is open.
  final class Registration: Sendable {
    private let identity: Identity?
    private let released = Atomic<Bool>(false)

    /// To be made before SQLite opens the file.
    init(_ path: String) {
      var status = stat()
      identity = stat(path, &status) == 0 ? Identity(status) : nil
      if let identity { entries.withLock { $0[identity, default: Entry()].connections += 1 } }
    }

    /// To be called after SQLite has closed the file.
    func release() {
      guard let identity, !released.exchange(true, ordering: .acquiringAndReleasing) else { return }
      entries.withLock { entries in
        guard var entry = entries[identity] else { return }
        entry.connections -= 1
        if entry.connections == 0 {
          for file in entry.parked { close(file) }
          entries[identity] = nil
        } else {
          entries[identity] = entry
        }
      }
    }

    deinit { release() }
  }

  /// Lends a descriptor of a file for reading.
  /// - Throws: `fileIsMissing` or `cannotOpen`, and what the closure throws.
  package static func read<R>(_ path: String, _ body: (Int32) throws -> R) throws -> R {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { throw CipherError(.fileIsMissing, "there is no file at \(path)") }
      throw CipherError(.cannotOpen, "\(path): \(String(cString: strerror(errno)))")
    }
    defer { finish(file) }
    return try body(file)
  }

  /// Whether this process has a connection to a file; its own locks do not stop it.
  static func isOpen(_ file: Int32) -> Bool {
    var status = stat()
    return fstat(file, &status) == 0 && entries.withLock { $0[Identity(status)] != nil }
  }

  private static func finish(_ file: Int32) {
    entries.withLock { entries in
      var status = stat()
      if fstat(file, &status) == 0, entries[Identity(status)] != nil {
        entries[Identity(status)]?.parked.append(file)
      } else {
        close(file)
      }
    }
  }

  /// The first bytes of a file.
  package static func head(_ path: String, _ count: Int) throws -> [UInt8] {
    try read(path) { file in
      var bytes = [UInt8](repeating: 0, count: count)
      let got = pread(file, &bytes, count, 0)
      guard got >= 0 else { throw CipherError(.cannotOpen, "\(path): \(String(cString: strerror(errno)))") }
      return Array(bytes.prefix(got))
    }
  }
}
