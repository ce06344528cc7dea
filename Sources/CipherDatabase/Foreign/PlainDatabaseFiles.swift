import Glibc

/// The file of a plain database and its logs, as they were when they were looked at.
struct PlainDatabaseFiles {
  let path: String
  /// What the names of its logs end with.
  let logs: [String]
  /// Whether its header says that it is written with a write-ahead log (sqlite.org/fileformat2.html, 1.3.3).
  let usesLog: Bool
  private let states: [[Int]]

  private static let suffixes = ["-wal", "-journal"]
  /// Where SQLite locks bytes of a file (sqlite.org/src, os.h: PENDING_BYTE), and how many.
  private static let lockedByte = 0x4000_0000
  private static let lockedCount = 512

  /// - Throws: `CipherError`: `fileIsMissing`, `fileIsEmpty`, `notADatabase`, `cannotOpen`, `busy`.
  init(_ path: String) throws(CipherError) {
    usesLog = try Self.check(path)
    self.path = path
    logs = Self.suffixes.filter { (Self.state(path + $0).first ?? 0) > 0 }
    states = Self.states(path)
    if logs.contains("-wal") { try Self.checkLog(path + "-wal") }
  }

  /// What is no log would be read as one without rows (sqlite.org/fileformat2.html, 4.1).
  private static func checkLog(_ path: String) throws(CipherError) {
    let magic: [[UInt8]] = [[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]]
    guard let head = head(path, 4), magic.contains(head) else {
      throw CipherError(
        .damagedPage,
        "\(path) is no log of SQLite's, so the newest rows cannot be read; move it away to do without them")
    }
  }

  private static func head(_ path: String, _ count: Int) -> [UInt8]? {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    var head = [UInt8](repeating: 0, count: count)
    return Glibc.read(descriptor, &head, count) == count ? head : nil
  }

  /// - Throws: `busy` when another program has written since.
  func checkUnchanged() throws(CipherError) {
    guard states == Self.states(path) else {
      throw CipherError(.busy, "another program wrote to \(path) meanwhile; close it and try again")
    }
  }

  /// Copies the file and its logs.
  func copy(into scratch: String) throws(CipherError) -> ScratchCopy {
    let copy = try ScratchCopy(in: scratch, logs: logs)
    do throws(CipherError) {
      for suffix in [""] + logs { try copy.fill(suffix, from: path + suffix) }
      // What another program wrote meanwhile may be half in one of the copies.
      try checkUnchanged()
      try copy.checkJournal(of: path)
    } catch {
      copy.remove()
      throw error
    }
    return copy
  }

  /// - Returns: Whether the file is written with a write-ahead log.
  private static func check(_ path: String) throws(CipherError) -> Bool {
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
    guard let head = head(path, 20), head.starts(with: Array("SQLite format 3\0".utf8)) else {
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
    return head[19] == 2
  }

  private static func states(_ path: String) -> [[Int]] { ([""] + suffixes).map { state(path + $0) } }

  private static func state(_ path: String) -> [Int] {
    var status = stat()
    guard stat(path, &status) == 0 else { return [] }
    return [Int(status.st_size), Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec), Int(status.st_ino)]
  }
}
