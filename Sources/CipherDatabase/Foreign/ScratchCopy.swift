import Glibc

/// A copy of a plain database and its logs, in a folder that only its owner can read.
///
/// The folder is locked while it is there, so that the next copy removes what a killed one left.
struct ScratchCopy {
  private let folder: String
  private let logs: [String]
  private let lock: Int32
  var path: String { folder + "/copy" }

  private static let prefix = "strongroom-import-"
  private static let pieceSize = 1 << 20
  /// What ends a journal that names one of several files (sqlite.org/fileformat2.html, 3).
  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  init(in scratch: String, logs: [String]) throws(CipherError) {
    Self.removeAbandoned(in: scratch)
    var template = Array((scratch + "/" + Self.prefix + "XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw CipherError(.cannotOpen, "no folder can be made in \(scratch) for a copy of the database")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self.logs = logs
    lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    _ = flock(lock, LOCK_EX | LOCK_NB)
  }

  func remove() {
    Self.remove(folder)
    close(lock)
  }

  private static func remove(_ folder: String) {
    for suffix in ["", "-shm", "-wal", "-journal"] { unlink(folder + "/copy" + suffix) }
    rmdir(folder)
  }

  private static func removeAbandoned(in scratch: String) {
    guard let directory = opendir(scratch) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasPrefix(prefix) else { continue }
      let folder = scratch + "/" + name
      let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { continue }
      var status = stat()
      if fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
      {
        remove(folder)
      }
      close(descriptor)
    }
  }

  /// Copies one file.
  /// - Throws: `interrupted` when its task is cancelled.
  func fill(_ suffix: String, from source: String) throws(CipherError) {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw CipherError(.cannotOpen, "\(source) cannot be read") }
    defer { close(input) }
    let output = open(path + suffix, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw CipherError(.cannotOpen, "\(path + suffix) cannot be made") }
    defer { close(output) }
    var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
    while true {
      if Task.isCancelled { throw CipherError(.interrupted, "cancelled") }
      let count = read(input, &buffer, buffer.count)
      if count == 0 { return }
      guard count > 0 else { throw CipherError(.ioError, "\(source) cannot be read") }
      guard write(output, buffer, count) == count else {
        throw CipherError(errno == ENOSPC ? .diskFull : .ioError, "there is no room for a copy of \(source)")
      }
    }
  }

  /// A journal of a change to several files names another file, which SQLite removes once it has
  /// played the journal back: any file, where a stranger wrote the journal.
  func checkJournal(of source: String) throws(CipherError) {
    guard logs.contains("-journal") else { return }
    let journal = open(path + "-journal", O_RDONLY | O_CLOEXEC)
    guard journal >= 0 else { throw CipherError(.cannotOpen, "\(path)-journal cannot be read") }
    defer { close(journal) }
    var end = [UInt8](repeating: 0, count: Self.magic.count)
    let length = lseek(journal, 0, SEEK_END)
    guard length > end.count, pread(journal, &end, end.count, length - end.count) == end.count else { return }
    if end == Self.magic {
      throw CipherError(
        .damagedPage,
        "a change to several files at once was interrupted; open \(source) with its own program once")
    }
  }
}
