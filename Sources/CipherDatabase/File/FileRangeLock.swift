import Glibc

/// Locks on single bytes of a file that belong to an open file description (fcntl(2), F_OFD_SETLK).
///
/// Unlike the POSIX locks that SQLite takes, they stay when the process closes another descriptor
/// of the file. The bytes are apart from those that SQLite locks (1 GiB to 1 GiB + 511).
enum FileRangeLock {
  enum Kind { case shared, exclusive }
  enum Outcome { case taken, takenByOthers, unsupported }

  /// A shared lock on this byte keeps a file in its place; an exclusive one keeps everybody else
  /// out.
  static let use: off_t = 1 << 30 + 1024
  /// An exclusive lock on this byte asks new users to wait, so that one who wants the file alone
  /// gets it at last.
  static let waiting: off_t = use + 1
  /// The bytes on which SQLite's users share a file.
  static let sharedBytes: (start: off_t, count: off_t) = (1 << 30 + 2, 510)

  // Values of Linux's <fcntl.h>, which Glibc's module leaves out.
  private static let setLock: Int32 = 37

  static func take(_ kind: Kind, _ start: off_t, count: off_t = 1, of file: Int32) -> Outcome {
    switch set(Int16(kind == .shared ? F_RDLCK : F_WRLCK), start, count, file) {
    case 0: .taken
    case EAGAIN, EACCES: .takenByOthers
    default: .unsupported
    }
  }

  static func release(_ start: off_t, count: off_t = 1, of file: Int32) {
    _ = set(Int16(F_UNLCK), start, count, file)
  }

  /// Answers an error number, 0 for success.
  private static func set(_ type: Int16, _ start: off_t, _ count: off_t, _ file: Int32) -> Int32 {
    var lock = flock()
    lock.l_type = type
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = start
    lock.l_len = count
    while fcntl(file, setLock, &lock) != 0 { if errno != EINTR { return errno } }
    return 0
  }
}
