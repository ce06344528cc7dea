import Glibc
import Synchronization

/// One use of a database file, with a shared lock: while it lasts, no program of this library
/// replaces the file.
///
/// Every opening of a database file begins before SQLite opens it and lasts until SQLite has closed
/// it. To replace the file or change its key, a user locks it exclusively (`takeAlone`), which
/// waits for all other users and keeps new ones out. So no connection has the former file open when
/// another file gets its name, and none reads that file's log by mistake.
///
/// All uses of a file in a process share one descriptor, which stays open as long as any of
/// SQLite's: when a process closes a descriptor of a file, POSIX drops every lock that the process
/// has on that file, SQLite's among them. For the same reason the bytes of a database file are read
/// only through this type.
package final class DatabaseFile: Sendable {
  /// The real path, links resolved; what SQLite is to be given.
  package let path: String
  let identity: OpenFiles.Identity
  let descriptor: Int32
  private let isReleased = Atomic<Bool>(false)

  /// Opens an existing file with a shared lock.
  ///
  /// A link is followed once, here.
  ///
  /// - Parameters:
  ///   - path: The file, or a link to it.
  ///   - milliseconds: How long to wait for a process that has locked the file exclusively.
  /// - Throws: `fileIsMissing`, `cannotOpen` (also for what is no regular file), `busy`,
  ///   `busyForReader`.
  package convenience init(_ path: String, waiting milliseconds: Int = 5000) throws(CipherError) {
    let path = try FilePath.resolved(path)
    let deadline = Deadline(milliseconds: milliseconds)
    while true {
      switch try OpenFiles.take(path) {
      case .taken(let identity, let descriptor):
        self.init(path: path, identity: identity, descriptor: descriptor)
        return
      case .takenByOthers:
        guard deadline.pause() else {
          throw CipherError(.busy, "another connection has the file at \(path) to itself")
        }
      case .read:
        guard deadline.pause() else {
          throw CipherError(
            .busyForReader,
            "a user who may not write to the file at \(path) reads it, and SQLite made \(path)-wal for that"
              + " user; try again when it is closed there")
        }
      }
    }
  }

  private init(path: String, identity: OpenFiles.Identity, descriptor: Int32) {
    self.path = path
    self.identity = identity
    self.descriptor = descriptor
  }

  deinit { release() }

  /// One more hold on the same file, which outlasts this one.
  package func another() -> DatabaseFile {
    OpenFiles.retain(identity)
    return DatabaseFile(path: path, identity: identity, descriptor: descriptor)
  }

  /// Ends the hold; to be called after SQLite has closed the file.
  ///
  /// Ending it again does nothing.
  package func release() {
    if !isReleased.exchange(true, ordering: .acquiringAndReleasing) {
      OpenFiles.release(identity, of: ObjectIdentifier(self))
    }
  }

  // MARK: Alone

  /// Locks the file exclusively: waits for all other users, in this process and others, and keeps
  /// new ones out until `shareAgain()` or the end of this use.
  ///
  /// - Parameters:
  ///   - own: How many uses of the file the caller itself has.
  ///   - milliseconds: How long to wait for other users.
  ///   - givesWay: Whether to give up at once where another user waits for the same: two that wait
  ///     for each other would never end.
  /// - Returns: False where it gave up.
  /// - Throws: `busy`, `readOnlyDirectory` when the file cannot be written to, `cannotOpen` where
  ///   the file system has no locks.
  @discardableResult
  package func takeAlone(
    own: Int, waiting milliseconds: Int, givesWay: Bool = false
  ) throws(CipherError) -> Bool {
    let deadline = Deadline(milliseconds: milliseconds)
    while true {
      let outcome = OpenFiles.takeAlone(identity, own: own, for: ObjectIdentifier(self))
      switch outcome {
      case .taken:
        return true
      case .wantedByAnother where givesWay:
        shareAgain()
        return false
      case .takenByOthers, .wantedByAnother:
        if deadline.pause() { continue }
        shareAgain()
        throw CipherError(.busy, "another connection has the file at \(path) open")
      case .unsupported:
        shareAgain()
        if fcntl(descriptor, F_GETFL) & O_ACCMODE == O_RDONLY {
          throw CipherError(.readOnlyDirectory, "the file at \(path) cannot be written to")
        }
        throw CipherError(.cannotOpen, "the file system of \(path) has no locks")
      }
    }
  }

  /// Lets others in again.
  package func shareAgain() { OpenFiles.shareAgain(identity, from: ObjectIdentifier(self)) }

  // MARK: Looking

  /// Whether the path still names this file.
  ///
  /// One system call.
  package var isInPlace: Bool {
    var status = stat()
    return lstat(path, &status) == 0 && OpenFiles.Identity(status) == identity
  }

  var inode: UInt64 { identity.inode }

  /// Whether the file has other names (hard links).
  ///
  /// SQLite would use a log of its own for each name, and lose what is saved by the other.
  var hasOtherNames: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_nlink > 1
  }

  /// Whether another hold is on the same file.
  package func isSame(as other: DatabaseFile) -> Bool { identity == other.identity }

  /// Gives a file that is to take this one's place its owner and mode, where these are not as we
  /// make them.
  package func giveOwnership(to path: String) throws(CipherError) {
    var (own, new) = (stat(), stat())
    guard fstat(descriptor, &own) == 0, lstat(path, &new) == 0 else { throw File.failure(path) }
    if own.st_uid != new.st_uid || own.st_gid != new.st_gid {
      guard chown(path, own.st_uid, own.st_gid) == 0 else { throw File.failure(path) }
    }
    if own.st_mode != new.st_mode {
      guard chmod(path, own.st_mode & 0o777) == 0 else { throw File.failure(path) }
    }
  }

  /// Whether a log or a journal lies beside the file, so that the database's pages need not be the
  /// file's.
  package var hasLog: Bool {
    ["-wal", "-journal"].contains { suffix in
      var status = stat()
      return lstat(path + suffix, &status) == 0 && status.st_size > 0
    }
  }

  /// The number of bytes.
  package var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Makes sure that the file's bytes are on the disk.
  package func sync() throws(CipherError) {
    guard fsync(descriptor) == 0 else { throw File.failure(path) }
  }

  /// Copies the bytes into a new file that only its owner can read; durable when this returns.
  ///
  /// The caller has locked the file exclusively and moved its log into it.
  /// - Throws: `alreadyExists`, `diskFull` and the like; there is no new file then.
  package func copy(to path: String) throws(CipherError) {
    try File.create(path)
    do throws(CipherError) {
      let copy = try DatabaseFile(path)
      defer { copy.release() }
      var buffer = [UInt8](repeating: 0, count: 1 << 20)
      var offset = 0
      while offset < size {
        let got = pread(descriptor, &buffer, buffer.count, off_t(offset))
        guard got > 0, pwrite(copy.descriptor, buffer, got, off_t(offset)) == got else {
          throw File.failure(path)
        }
        offset += got
      }
      try copy.sync()
    } catch {
      unlink(path)
      throw error
    }
  }

  var owner: UInt32 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status.st_uid : geteuid()
  }

  /// The first bytes.
  package func head(_ count: Int) throws(CipherError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = pread(descriptor, &bytes, count, 0)
    guard got >= 0 else { throw CipherError(.cannotOpen, "\(path): \(String(cString: strerror(errno)))") }
    return Array(bytes.prefix(got))
  }

  /// Fills a buffer from an offset; answers how many bytes there were.
  func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
  }

  /// Keeps SQLite from moving a log into this file, or removing one, when its connections close:
  /// for a file that has lost its name to another, whose log has the name that this one's had.
  func refuseCheckpoints() {
    _ = FileRangeLock.take(
      .shared, FileRangeLock.sharedBytes.start, count: FileRangeLock.sharedBytes.count, of: descriptor)
  }
}
