import Glibc

/// The file of a plain database and its logs, as they were when they were looked at.
struct PlainDatabaseFiles {
  /// A copy in a folder that only its owner can read.
  struct Copy {
    let folder: String
    let logs: [String]
    var path: String { folder + "/copy" }

    func remove() {
      for suffix in ["", "-shm"] + logs { unlink(path + suffix) }
      rmdir(folder)
    }
  }

  let path: String
  /// What the names of its logs end with.
  let logs: [String]
  private let states: [[Int]]

  private static let suffixes = ["-wal", "-journal"]
  /// Where SQLite locks bytes of a file (sqlite.org/src, os.h: PENDING_BYTE), and how many.
  private static let lockedByte = 0x4000_0000
  private static let lockedCount = 512

  /// - Throws: `CipherError`: `fileIsMissing`, `fileIsEmpty`, `notADatabase`, `cannotOpen`, `busy`.
  init(_ path: String) throws(CipherError) {
    try Self.check(path)
    self.path = path
    logs = Self.suffixes.filter { (Self.state(path + $0).first ?? 0) > 0 }
    states = Self.states(path)
  }

  /// - Throws: `busy` when another program has written since.
  func checkUnchanged() throws(CipherError) {
    guard states == Self.states(path) else {
      throw CipherError(.busy, "another program wrote to \(path) meanwhile; close it and try again")
    }
  }

  /// Copies the file and its logs.
  func copy(into scratch: String) throws(CipherError) -> Copy {
    var template = Array((scratch + "/strongroom-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw CipherError(.cannotOpen, "no folder can be made in \(scratch) for a copy of \(path)")
    }
    let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let copy = Copy(folder: folder, logs: logs)
    do throws(CipherError) {
      for suffix in [""] + logs { try Self.copy(path + suffix, to: copy.path + suffix) }
      // What another program wrote meanwhile may be half in one of the copies.
      try checkUnchanged()
    } catch {
      copy.remove()
      throw error
    }
    return copy
  }

  private static func check(_ path: String) throws(CipherError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw CipherError(.fileIsMissing, "there is no file at \(path)")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw CipherError(.notADatabase, "\(path) is no file")
    }
    guard status.st_size > 0 else { throw CipherError(.fileIsEmpty, "the file at \(path) has no bytes") }
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw CipherError(.cannotOpen, "\(path) cannot be read") }
    defer { Glibc.close(descriptor) }
    var head = [UInt8](repeating: 0, count: 16)
    guard Glibc.read(descriptor, &head, 16) == 16, head == Array("SQLite format 3\0".utf8) else {
      throw CipherError(.notADatabase, "\(path) is no SQLite database, or is encrypted")
    }
    var lock = flock()
    lock.l_type = Int16(F_RDLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = lockedByte
    lock.l_len = lockedCount
    if fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type == Int16(F_WRLCK) {
      throw CipherError(.busy, "another program writes to \(path); close it first")
    }
  }

  private static func states(_ path: String) -> [[Int]] { ([""] + suffixes).map { state(path + $0) } }

  private static func state(_ path: String) -> [Int] {
    var status = stat()
    guard stat(path, &status) == 0 else { return [] }
    return [Int(status.st_size), Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec), Int(status.st_ino)]
  }

  private static func copy(_ source: String, to target: String) throws(CipherError) {
    let input = Glibc.open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw CipherError(.cannotOpen, "\(source) cannot be read") }
    defer { Glibc.close(input) }
    let output = Glibc.open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw CipherError(.cannotOpen, "\(target) cannot be made") }
    defer { Glibc.close(output) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = Glibc.read(input, &buffer, buffer.count)
      if count == 0 { return }
      guard count > 0 else { throw CipherError(.ioError, "\(source) cannot be read") }
      guard Glibc.write(output, buffer, count) == count else {
        throw CipherError(errno == ENOSPC ? .diskFull : .ioError, "there is no room for a copy of \(source)")
      }
    }
  }
}
