import Glibc

/// Everything that is looked at before SQLite may touch a file.
struct FileChecks {
  static let pageSize: UInt32 = 4096
  let path: String

  /// The first bytes of a journal, on which SQLite takes no locks; nil when it cannot be opened.
  private func head(_ path: String, _ count: Int) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = pread(file, &bytes, count, 0)
    return got < 0 ? nil : Array(bytes.prefix(got))
  }

  private func fileHead() throws(CipherError) -> [UInt8] {
    do {
      return try OpenFiles.head(path, 16)
    } catch let error as CipherError {
      throw error
    } catch {
      throw CipherError(.cannotOpen, "\(path): \(error)")
    }
  }

  /// - Throws: the fault that makes opening pointless or dangerous.
  func checkExisting() throws(CipherError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { throw CipherError(.fileIsMissing, "there is no file at \(path)") }
      throw CipherError(.cannotOpen, "\(path): \(String(cString: strerror(errno)))")
    }
    let head = try fileHead()
    // SQLite would open an empty file as a new database.
    if status.st_size == 0 { throw CipherError(.fileIsEmpty, "the file at \(path) has no bytes") }
    if head == Array("SQLite format 3\0".utf8) {
      throw CipherError(.fileIsPlaintext, "the file at \(path) is an unencrypted SQLite database")
    }
    // While its log is there, a file may end amid a page: moving the log into it was interrupted, and will be done again.
    if status.st_size % Int(Self.pageSize) != 0, !hasLog {
      throw CipherError(.truncated, "the file at \(path) is not a whole number of 4096-byte pages")
    }
    try checkJournals()
  }

  private var hasLog: Bool {
    ["-wal", "-journal"].contains { suffix in
      var status = stat()
      return stat(path + suffix, &status) == 0 && status.st_size > 0
    }
  }

  /// SQLCipher 3 writes past a buffer when a journal has another page size than the cipher, so such a file is refused
  /// before it is seen.
  func checkJournals() throws(CipherError) {
    if let journal = head(path + "-journal", 28), journal.count == 28,
      journal.starts(with: [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]),
      Self.number(journal, 24) != Self.pageSize
    {
      throw CipherError(.foreignJournal, "\(path)-journal has pages of another size than the store")
    }
    if let wal = head(path + "-wal", 32), wal.count >= 12, Self.number(wal, 8) != Self.pageSize {
      throw CipherError(.foreignJournal, "\(path)-wal has pages of another size than the store")
    }
  }

  private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Makes an empty file only its owner can read, in a directory likewise when that is made too.
  func create() throws(CipherError) {
    let directory = makeDirectory(of: path)
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if file >= 0 {
      close(file)
      return
    }
    let error = errno == ENOENT && directory != 0 ? directory : errno
    if error != EEXIST {
      let code: CipherError.Code =
        error == ENOSPC || error == EDQUOT
        ? .diskFull : error == EACCES || error == EROFS ? .readOnlyDirectory : .cannotOpen
      throw CipherError(code, "\(path): \(String(cString: strerror(error)))")
    }
    throw CipherError(.alreadyExists, "there is a file at \(path) already")
  }

  /// - Returns: Why a directory could not be made, as `errno` has it; 0 when it is there.
  private func makeDirectory(of path: String) -> Int32 {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return 0 }
    let directory = String(path[..<slash])
    if access(directory, F_OK) == 0 { return 0 }
    let above = makeDirectory(of: directory)
    if above != 0 { return above }
    return mkdir(directory, 0o700) == 0 || errno == EEXIST ? 0 : errno
  }

  /// - Throws: `libraryIsNotSQLCipher` when the first page just written is not ciphertext under our salt.
  func checkCreated(salt: [UInt8]) throws(CipherError) {
    guard try fileHead() == salt else {
      throw CipherError(
        .libraryIsNotSQLCipher, "the file at \(path) was not encrypted by the library in this process")
    }
  }
}
