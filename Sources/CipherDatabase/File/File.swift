import CLinux
import Glibc

/// What is done to whole files and their names.
package enum File {
  /// Makes an empty file that only its owner can read, and its folder, if missing, with the same
  /// access.
  /// - Throws: `alreadyExists`, `diskFull`, `readOnlyDirectory`, `cannotOpen`.
  package static func create(_ path: String) throws(CipherError) {
    let folder = makeFolder(of: path)
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if file >= 0 {
      close(file)
      return
    }
    if errno == ENOENT {
      errno = folder
      guard [ENOSPC, EDQUOT].contains(folder) else {
        throw CipherError(.readOnlyDirectory, "the folder of \(path) cannot be made")
      }
    }
    throw failure(path)
  }

  /// - Returns: Why a folder could not be made, as `errno` has it; 0 when it is there.
  private static func makeFolder(of path: String) -> Int32 {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return 0 }
    let folder = String(path[..<slash])
    if access(folder, F_OK) == 0 { return 0 }
    let above = makeFolder(of: folder)
    if above != 0 { return above }
    return mkdir(folder, 0o700) == 0 || errno == EEXIST ? 0 : errno
  }

  /// Makes sure that a name's change in its folder is on the disk.
  package static func syncFolder(of path: String) throws(CipherError) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { throw failure(folder) }
    defer { close(file) }
    // Some file systems cannot sync a folder.
    guard fsync(file) == 0 || errno == EINVAL else { throw failure(folder) }
  }

  /// Replaces a file by another; durable when this returns.
  ///
  /// The caller has locked the replaced file exclusively.
  package static func replace(_ path: String, with new: String) throws(CipherError) {
    guard Glibc.rename(new, path) == 0 else { throw failure(path) }
    try syncFolder(of: path)
  }

  /// Gives a file a name that nothing has yet; durable when this returns.
  ///
  /// Where that fails it has its former name.
  /// - Throws: `alreadyExists`.
  package static func place(_ new: String, at path: String) throws(CipherError) {
    try rename(new, toFree: path)
    do {
      try syncFolder(of: path)
    } catch {
      _ = Glibc.rename(path, new)
      throw error
    }
  }

  private static func rename(_ new: String, toFree path: String) throws(CipherError) {
    if renameat2(AT_FDCWD, new, AT_FDCWD, path, UInt32(renameWithoutReplacing)) == 0 { return }
    // Network file systems may know links only, those of memory cards only renaming.
    guard errno == EINVAL || errno == ENOSYS else { throw failure(path) }
    if link(new, path) == 0 {
      unlink(new)
    } else if errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS {
      try claim(path, for: new)
    } else {
      throw failure(path)
    }
  }

  /// Makes an empty file of the name, as only one can, and puts the other in its place: where a
  /// file system has neither way to give a name that nothing has, as those in user space for memory
  /// cards.
  private static func claim(_ path: String, for new: String) throws(CipherError) {
    try create(path)
    guard Glibc.rename(new, path) == 0 else {
      let error = failure(path)
      unlink(path)
      throw error
    }
  }

  /// Gives a file its name back, if nothing has it.
  ///
  /// Where the file system cannot do so at once, two who try may not have other files.
  static func restore(_ path: String, to name: String) {
    if renameat2(AT_FDCWD, path, AT_FDCWD, name, UInt32(renameWithoutReplacing)) == 0 { return }
    guard errno == EINVAL || errno == ENOSYS, !FilePath.isTaken(name) else { return }
    _ = Glibc.rename(path, name)
  }

  /// As `place`, of a database file.
  ///
  /// A log without its file would be taken for the new file's.
  /// - Throws: `alreadyExists`; `foreignJournal` when there is such a log.
  package static func placeDatabase(_ new: String, at path: String) throws(CipherError) {
    // In this order: a process that makes the file meanwhile makes its log later.
    if let log = log(beside: path), !FilePath.isTaken(path) {
      throw CipherError(.foreignJournal, "\(log) belongs to a file that does not exist")
    }
    try place(new, at: path)
  }

  /// The log or journal beside a path.
  package static func log(beside path: String) -> String? {
    ["-wal", "-journal"].map { path + $0 }.first { FilePath.isTaken($0) }
  }

  /// Removes a database file that is not open, with the files beside it.
  package static func removeDatabase(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
  }

  /// Whether a file system has room for so many bytes in a further file; true where it does not
  /// say.
  static func isRoom(for bytes: Int, beside path: String) -> Bool {
    var room = statvfs()
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    guard statvfs(folder, &room) == 0 else { return true }
    // Some file systems count no files.
    return room.f_bavail * room.f_bsize >= bytes && (room.f_files == 0 || room.f_favail > 0)
  }

  static func failure(_ path: String) -> CipherError {
    let code: CipherError.Code =
      switch errno {
      case EEXIST: .alreadyExists
      case ENOSPC, EDQUOT: .diskFull
      case EACCES, EROFS, EPERM: .readOnlyDirectory
      case ENOENT: .fileIsMissing
      case EIO: .ioError
      default: .cannotOpen
      }
    return CipherError(code, "\(path): \(String(cString: strerror(errno)))")
  }
}
