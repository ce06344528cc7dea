import CLinux
import Glibc

/// The state of a file when it was copied, noted in an extended attribute of the copy, which tells
/// whether the file has changed since.
package struct FileState: Equatable {
  private static let attribute = "user.strongroom.of"
  private var inode: UInt64 = 0
  private var size: Int64 = 0
  private var seconds: Int64 = 0
  private var nanoseconds: Int64 = 0

  private init() {}

  package init?(of path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    (seconds, nanoseconds) = (Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec))
  }

  /// Notes that a file is a copy of this one as it is now.
  ///
  /// Not where the file system has no such attributes.
  package func note(on copy: String) {
    _ = withUnsafeBytes(of: self) { lsetxattr(copy, Self.attribute, $0.baseAddress, $0.count, 0) }
  }

  package func isNoted(on copy: String) -> Bool {
    var noted = FileState()
    let count = withUnsafeMutableBytes(of: &noted) {
      lgetxattr(copy, Self.attribute, $0.baseAddress, $0.count)
    }
    return count == MemoryLayout<FileState>.size && noted == self
  }
}
