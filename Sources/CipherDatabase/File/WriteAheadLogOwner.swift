import CLinux
import Glibc

/// Which file a log belongs to, noted in an extended attribute of the log.
///
/// SQLite applies whatever log lies beside a file. When another file replaces one that is open, or
/// whose program was killed, the remaining log would overwrite pages of the new file and destroy
/// it. So the attribute has the inodes of the file and of the log, and the time when the log was
/// made: an unchanged log beside another file is refused. A copy of file and log has other inodes
/// and times and is accepted, and so is a log on a file system without extended attributes.
struct WriteAheadLogOwner {
  private static let attribute = "user.strongroom.log"
  let file: DatabaseFile
  private var log: String { file.path + "-wal" }

  /// Whether a log that lies beside the file, of so many bytes, is known to be another file's.
  func isOfAnother(bytes: Int) -> Bool {
    guard bytes > 0, let noted, let own = note(of: noted.file) else { return false }
    return noted == own && noted.file != file.inode
  }

  /// Notes that the log beside the file is the file's.
  ///
  /// To be called while SQLite has it open. Three or four system calls.
  func note() {
    guard let own = note(of: file.inode), noted != own else { return }
    _ = withUnsafeBytes(of: own) { lsetxattr(log, Self.attribute, $0.baseAddress, $0.count, 0) }
    // A process that replaced the file meanwhile may have made another log.
    if !file.isInPlace { lremovexattr(log, Self.attribute) }
  }

  private struct Note: Equatable {
    var file: UInt64
    var log: UInt64
    /// No copy of a log has it, whatever its inode.
    var birth: Int64
  }

  private var noted: Note? {
    var note = Note(file: 0, log: 0, birth: 0)
    let count = withUnsafeMutableBytes(of: &note) { lgetxattr(log, Self.attribute, $0.baseAddress, $0.count) }
    return count == MemoryLayout<Note>.size ? note : nil
  }

  /// What the log beside the file would bear as the log of a file.
  private func note(of file: UInt64) -> Note? {
    var status = stat()
    guard lstat(log, &status) == 0 else { return nil }
    return Note(file: file, log: UInt64(status.st_ino), birth: birthOfFile(log))
  }
}
