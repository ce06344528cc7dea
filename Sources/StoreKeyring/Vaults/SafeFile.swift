import Foundation
import Glibc

/// A small file that only its owner may read, replaced whole or not at all.
struct SafeFile {
  let path: String

  init(_ url: URL) { path = url.path }

  /// The file's bytes; nil when there is no file.
  /// - Throws: `KeyringError` with code `keyFileExposed` when others could read or change it, `vaultUnreachable` when it
  ///   cannot be read.
  func read(limit: Int = 1 << 20) throws -> SecretBytes? {
    // Not followed and not waited for: a link or a pipe in the file's place is no key file.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if file < 0 {
      if errno == ENOENT { return nil }
      throw unreachable("read")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw unreachable("read") }
    try check(status)
    guard status.st_size <= limit else {
      throw KeyringError(.itemDamaged, "\(path) is too large for a file of keys")
    }
    return try SecretBytes(count: Int(status.st_size)) { bytes in
      var got = 0
      while got < bytes.count {
        let count = pread(file, bytes.baseAddress! + got, bytes.count - got, off_t(got))
        guard count > 0 else { throw unreachable("read") }
        got += count
      }
    }
  }

  private func check(_ status: stat) throws {
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw KeyringError(.keyFileExposed, "\(path) is no ordinary file; keys are read from one only")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw KeyringError(.keyFileExposed, "\(path) belongs to another user; own it, or name another file")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw KeyringError(
        .keyFileExposed,
        "others than its owner can read \(path); chmod it to 600 and make a new key if they did")
    }
  }

  /// Writes to a new file beside, syncs it, and renames it over this one.
  /// - Throws: `KeyringError` with code `diskFull` or `storageFailed`; the file is then as it was.
  func replace(_ bytes: UnsafeRawBufferPointer) throws {
    let new = "\(path).\(UInt64.random(in: 0...UInt64.max)).new"
    let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failed() }
    var done = false
    defer {
      close(file)
      if !done { unlink(new) }
    }
    var put = 0
    while put < bytes.count {
      let count = write(file, bytes.baseAddress! + put, bytes.count - put)
      guard count > 0 else { throw failed() }
      put += count
    }
    guard fsync(file) == 0, rename(new, path) == 0 else { throw failed() }
    done = true
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 {
      fsync(directory)
      close(directory)
    }
  }

  /// Lets one process at a time read, change and replace the file.
  func locked<R>(_ body: () throws -> R) throws -> R {
    let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw failed() }
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0 { if errno != EINTR { throw failed() } }
    return try body()
  }

  private func unreachable(_ what: String) -> KeyringError {
    KeyringError(.vaultUnreachable, "\(path) cannot be \(what): \(String(cString: strerror(errno)))")
  }

  private func failed() -> KeyringError {
    KeyringError(
      errno == ENOSPC || errno == EDQUOT ? .diskFull : .storageFailed,
      "\(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}
