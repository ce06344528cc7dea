import Glibc

/// The checks of an open file, and of what lies beside it, before SQLite may touch them.
///
/// What has the file's own name was checked when it was opened (`OpenFiles`): a link put in its
/// place is refused there.
struct FileChecks {
  static let pageSize = 4096
  let file: DatabaseFile

  private var path: String { file.path }

  /// - Throws: the fault that makes opening pointless or dangerous.
  func checkExisting() throws(CipherError) {
    file.restoreLogs()
    let size = file.size
    // SQLite would open an empty file as a new database.
    if size == 0 { throw CipherError(.fileIsEmpty, "the file at \(path) has no bytes") }
    if try file.head(16) == Array("SQLite format 3\0".utf8) {
      throw CipherError(.fileIsPlaintext, "the file at \(path) is an unencrypted SQLite database")
    }
    let log = try checkSidecar("-wal")
    if WriteAheadLogOwner(file: file).isOfAnother(bytes: log) {
      throw CipherError(
        .foreignJournal,
        "\(path)-wal is the log of another file, in whose place this one was put, and may hold that one's"
          + " last saves"
      )
    }
    let journal = try checkSidecar("-journal")
    _ = try checkSidecar("-shm")
    // While its log is there, a file may end amid a page: moving the log into it was interrupted,
    // and will be done again.
    if size % Self.pageSize != 0, log == 0, journal == 0 {
      throw CipherError(.truncated, "the file at \(path) is not a whole number of 4096-byte pages")
    }
    try checkJournal(pages: size / Self.pageSize)
    try checkLog()
  }

  /// A file that is being renamed may have two names for an instant.
  /// - Throws: `otherNames` when the file is to be written to and keeps a second name.
  func checkNames() throws(CipherError) {
    let deadline = Deadline(milliseconds: 200)
    while file.hasOtherNames {
      guard deadline.pause() else { throw CipherError(.otherNames, "\(path) has another name") }
    }
  }

  /// - Throws: `foreignJournal` when something lies beside a file that was just made.
  func checkNew() throws(CipherError) {
    for suffix in ["-wal", "-journal", "-shm"] where FilePath.isTaken(path + suffix) {
      throw CipherError(.foreignJournal, "there is a file at \(path)\(suffix), which is of no store")
    }
  }

  /// SQLite follows links, and writes through a second name as well: what lies beside a store must
  /// be a file of its own.
  /// - Returns: Its size; 0 when there is none.
  private func checkSidecar(_ suffix: String) throws(CipherError) -> Int {
    var status = stat()
    // A file without a name is one that its owner removed while we looked.
    guard lstat(path + suffix, &status) == 0, status.st_nlink > 0 else { return 0 }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
      throw CipherError(
        .foreignJournal, "\(path)\(suffix) is a link, has a second name, or is no regular file")
    }
    guard [file.owner, geteuid(), 0].contains(status.st_uid) else {
      throw CipherError(.foreignJournal, "\(path)\(suffix) belongs to another user than the store")
    }
    return Int(status.st_size)
  }

  /// A store's rollback journal is in use only while the file is made or changes its journal mode.
  ///
  /// One that is ours has our pages, names no super-journal (SQLite deletes the file of that name),
  /// and undoes nothing to an empty file.
  private func checkJournal(pages: Int) throws(CipherError) {
    guard let journal = open("-journal") else { return }
    defer { close(journal) }
    let head = bytes(journal, 28, at: 0)
    guard head.count == 28, head.starts(with: Self.journalMagic) else { return }
    // SQLCipher 3 writes past a buffer when a journal has another page size than the cipher.
    guard Self.number(head, 24) == Self.pageSize else {
      throw CipherError(.foreignJournal, "\(path)-journal has pages of another size than the store")
    }
    guard Self.number(head, 16) > 0 || pages == 0 else {
      throw CipherError(.foreignJournal, "\(path)-journal would empty the store")
    }
    let size = lseek(journal, 0, SEEK_END)
    let end = bytes(journal, 16, at: max(Int(size) - 16, 0))
    if end.count == 16, end[8...].elementsEqual(Self.journalMagic) {
      throw CipherError(.foreignJournal, "\(path)-journal names a journal of several databases")
    }
  }

  private func checkLog() throws(CipherError) {
    guard let log = open("-wal") else { return }
    defer { close(log) }
    let head = bytes(log, 32, at: 0)
    if head.count >= 12, Self.number(head, 8) != Self.pageSize {
      throw CipherError(.foreignJournal, "\(path)-wal has pages of another size than the store")
    }
  }

  private static let journalMagic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

  /// SQLite takes no locks on these files, so that they may be opened and closed.
  private func open(_ suffix: String) -> Int32? {
    let file = Glibc.open(path + suffix, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    return file < 0 ? nil : file
  }

  private func bytes(_ file: Int32, _ count: Int, at offset: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = pread(file, &bytes, count, off_t(offset))
    return Array(bytes.prefix(max(got, 0)))
  }

  private static func number(_ bytes: [UInt8], _ offset: Int) -> Int {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  /// - Throws: `libraryIsNotSQLCipher` when the first page just written is not ciphertext under our
  ///   salt.
  func checkCreated(salt: [UInt8]) throws(CipherError) {
    guard try file.head(16) == salt else {
      throw CipherError(
        .libraryIsNotSQLCipher, "the file at \(path) was not encrypted by the library in this process")
    }
  }
}
