import Glibc

/// What is done to whole files.
package enum File {
  /// Makes sure that a file's bytes are on the disk.
  package static func sync(_ path: String) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure(path) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw failure(path) }
  }

  /// Makes sure that a name's change in its folder is on the disk.
  package static func syncFolder(of path: String) throws {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { throw failure(folder) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw failure(folder) }
  }

  /// Puts a file in another's place, or where there is none; durable when this answers.
  package static func replace(_ path: String, with new: String) throws {
    guard rename(new, path) == 0 else { throw failure(path) }
    try syncFolder(of: path)
  }

  /// Gives a file a name that nothing has yet; durable when this answers.
  /// - Throws: `alreadyExists`.
  package static func place(_ new: String, at path: String) throws {
    try keep(new, at: path)
    unlink(new)
  }

  /// Gives a file a second name that nothing has yet; durable when this answers.
  /// - Throws: `alreadyExists`.
  package static func keep(_ path: String, at other: String) throws {
    guard link(path, other) == 0 else {
      if errno == EEXIST { throw CipherError(.alreadyExists, "there is a file at \(other) already") }
      throw failure(other)
    }
    try syncFolder(of: other)
  }

  /// Removes a database file that nobody has open, with what lies beside it.
  package static func removeDatabase(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
  }

  private static func failure(_ path: String) -> CipherError {
    let code: CipherError.Code =
      switch errno {
      case ENOSPC, EDQUOT: .diskFull
      case EACCES, EROFS, EPERM: .readOnlyDirectory
      case ENOENT: .fileIsMissing
      default: .ioError
      }
    return CipherError(code, "\(path): \(String(cString: strerror(errno)))")
  }
}

extension File {
  /// Puts a database file in the place of another that nobody has open, which need not be readable any more.
  /// - Throws: `busy` when a connection has the old one open.
  package static func replaceDatabase(_ path: String, with new: String) throws {
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { throw failure(path) }
    defer { close(file) }
    // SQLite's lock bytes: pending, reserved, and the 510 shared ones, at 1 GiB.
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 1 << 30
    lock.l_len = 512
    guard !OpenFiles.isOpen(file), fcntl(file, F_SETLK, &lock) == 0 else {
      throw CipherError(.busy, "the file at \(path) is open")
    }
    for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) }
    try replace(path, with: new)
  }
}
