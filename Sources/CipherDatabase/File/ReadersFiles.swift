import Glibc

/// The log and its index that a user who may not write to a file has left beside it.
///
/// SQLite makes both for reading, too. Made by such a user they belong to that user, or cannot be
/// written to, and would keep those out who may write to the file. Nothing was written into them,
/// so they can go as soon as their maker has closed the file.
struct ReadersFiles {
  private let path: String
  private let descriptor: Int32
  private let owner: uid_t

  /// - Parameters:
  ///   - path: The database file.
  ///   - descriptor: The file, of which this process has no other, locked as shared
  ///     (`FileRangeLock.use`).
  ///   - owner: The file's owner.
  init(path: String, descriptor: Int32, owner: uid_t) {
    self.path = path
    self.descriptor = descriptor
    self.owner = owner
  }

  /// Removes those that are in the way of a user who may write to the file; this user's own become
  /// writable instead.
  ///
  /// Any that cannot be removed stay, and `FileChecks` judges them. Two system calls where there
  /// are none.
  /// - Returns: False when they have to stay because another process has the file open.
  func remove() -> Bool {
    let names = ["-wal", "-shm"].map { path + $0 }.filter(isInTheWay)
    // SQLite gives them the mode of the file, which its owner may have only been able to read.
    let others = names.filter { !makeWritable($0) && ($0.hasSuffix("-shm") || isEmpty($0)) }
    guard !others.isEmpty, fcntl(descriptor, F_GETFL) & O_ACCMODE == O_RDWR else { return true }
    return alone { for name in others { unlink(name) } }
  }

  private func makeWritable(_ name: String) -> Bool {
    var status = stat()
    return lstat(name, &status) == 0 && status.st_uid == geteuid()
      && chmod(name, status.st_mode & 0o777 | 0o600) == 0
  }

  /// A log with bytes may hold saves that are not in the file.
  private func isEmpty(_ name: String) -> Bool {
    var status = stat()
    return lstat(name, &status) == 0 && status.st_size == 0
  }

  private func isInTheWay(_ name: String) -> Bool {
    var status = stat()
    guard lstat(name, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
      return false
    }
    return ![owner, geteuid(), 0].contains(status.st_uid)
      || faccessat(AT_FDCWD, name, W_OK, AT_EACCESS) != 0
  }

  /// Runs a closure while no other process has the file open or is opening it.
  /// - Returns: False when one has, and the closure did not run.
  private func alone(_ body: () -> Void) -> Bool {
    guard take(FileRangeLock.waiting) else { return false }
    defer { FileRangeLock.release(FileRangeLock.waiting, of: descriptor) }
    guard take(FileRangeLock.use) else { return false }
    defer { _ = FileRangeLock.take(.shared, FileRangeLock.use, of: descriptor) }
    // Other programs than ours take SQLite's locks alone.
    let shared = FileRangeLock.sharedBytes
    guard take(shared.start, count: shared.count) else { return false }
    defer { FileRangeLock.release(shared.start, count: shared.count, of: descriptor) }
    body()
    return true
  }

  private func take(_ start: off_t, count: off_t = 1) -> Bool {
    FileRangeLock.take(.exclusive, start, count: count, of: descriptor) == .taken
  }
}
