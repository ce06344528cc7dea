import Glibc
import Locks

/// The database files that this process has open, each with one descriptor and the number of holds
/// on it.
enum OpenFiles {
  struct Identity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    init(_ status: stat) {
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
    }
  }

  enum Outcome {
    case taken(Identity, Int32), takenByOthers
    /// A user who may only read the file has it open, and that user's log is in the way.
    case read
  }

  enum AloneOutcome {
    case taken, takenByOthers
    /// Another one has the file alone, or waits to.
    case wantedByAnother
    /// The file system has no locks, or the file is open for reading only.
    case unsupported

    init(_ outcome: FileRangeLock.Outcome) {
      switch outcome {
      case .taken: self = .taken
      case .takenByOthers: self = .takenByOthers
      case .unsupported: self = .unsupported
      }
    }
  }

  private struct Entry: Sendable {
    let descriptor: Int32
    var useCount = 1
    /// Who of this process has, or waits to have, the file alone.
    var alone: ObjectIdentifier?
  }

  private static let entries = Locked<[Identity: Entry]>([:])

  /// Tries once to take hold of the file at a path.
  static func take(_ path: String) throws(CipherError) -> Outcome {
    let outcome: Result<Outcome, CipherError> = entries.withLock { entries in
      do throws(CipherError) {
        return .success(try take(path, &entries))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  private static func take(
    _ path: String, _ entries: inout [Identity: Entry]
  ) throws(CipherError) -> Outcome {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw failure(path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw CipherError(.cannotOpen, "\(path) is no regular file")
    }
    let identity = Identity(status)
    if let entry = entries[identity] {
      if entry.alone != nil { return .takenByOthers }
      entries[identity]?.useCount += 1
      return .taken(identity, entry.descriptor)
    }
    let file = try open(path)
    // The file is not open in this process, so closing this descriptor drops no lock.
    guard fstat(file, &status) == 0, Identity(status) == identity, share(file),
      lstat(path, &status) == 0, Identity(status) == identity
    else {
      close(file)
      return .takenByOthers
    }
    guard ReadersFiles(path: path, descriptor: file, owner: status.st_uid).remove() else {
      close(file)
      return .read
    }
    entries[identity] = Entry(descriptor: file)
    return .taken(identity, file)
  }

  private static func open(_ path: String) throws(CipherError) -> Int32 {
    let flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let file = Glibc.open(path, O_RDWR | flags)
    if file >= 0 { return file }
    guard errno == EACCES || errno == EROFS || errno == EPERM else { throw failure(path) }
    let readable = Glibc.open(path, O_RDONLY | flags)
    guard readable >= 0 else { throw failure(path) }
    return readable
  }

  /// Takes the shared lock; false while an exclusive lock exists or is waited for.
  ///
  /// A user that waits for the exclusive lock goes first.
  private static func share(_ file: Int32) -> Bool {
    guard FileRangeLock.take(.shared, FileRangeLock.waiting, of: file) != .takenByOthers else { return false }
    defer { FileRangeLock.release(FileRangeLock.waiting, of: file) }
    // Where there are no locks, nothing is ever replaced either: see `takeAlone`.
    return FileRangeLock.take(.shared, FileRangeLock.use, of: file) != .takenByOthers
  }

  private static func failure(_ path: String) -> CipherError {
    if errno == ENOENT { return CipherError(.fileIsMissing, "there is no file at \(path)") }
    return CipherError(.cannotOpen, "\(path): \(String(cString: strerror(errno)))")
  }

  static func retain(_ identity: Identity) { entries.withLock { $0[identity]?.useCount += 1 } }

  static func release(_ identity: Identity, of owner: ObjectIdentifier) {
    shareAgain(identity, from: owner)
    entries.withLock { entries in
      guard var entry = entries[identity] else { return }
      entry.useCount -= 1
      if entry.useCount == 0 {
        close(entry.descriptor)
        entries[identity] = nil
      } else {
        entries[identity] = entry
      }
    }
  }

  /// Tries once to lock a file exclusively.
  ///
  /// From the first try on no new user can open the file, until `shareAgain`.
  static func takeAlone(_ identity: Identity, own: Int, for owner: ObjectIdentifier) -> AloneOutcome {
    entries.withLock { entries in
      guard let entry = entries[identity] else { return .takenByOthers }
      if let other = entry.alone, other != owner { return .wantedByAnother }
      switch FileRangeLock.take(.exclusive, FileRangeLock.waiting, of: entry.descriptor) {
      case .taken: break
      case .takenByOthers: return .wantedByAnother
      case .unsupported: return .unsupported
      }
      entries[identity]?.alone = owner
      guard entry.useCount <= own else { return .takenByOthers }
      return AloneOutcome(FileRangeLock.take(.exclusive, FileRangeLock.use, of: entry.descriptor))
    }
  }

  /// Does nothing when the owner neither has the file alone nor waits to.
  static func shareAgain(_ identity: Identity, from owner: ObjectIdentifier) {
    entries.withLock { entries in
      guard let entry = entries[identity], entry.alone == owner else { return }
      entries[identity]?.alone = nil
      _ = FileRangeLock.take(.shared, FileRangeLock.use, of: entry.descriptor)
      FileRangeLock.release(FileRangeLock.waiting, of: entry.descriptor)
    }
  }
}
