import Foundation
import Glibc

/// A small file that only its owner may read, and that is replaced atomically.
struct SafeFile {
  let path: String
  private static let limit = 1 << 20

  init(_ url: URL) { path = url.path }

  /// The file's bytes; nil when the file does not exist.
  ///
  /// - Parameters:
  ///   - limit: The greatest size in bytes.
  ///   - isCredential: Whether systemd created the file. It may then belong to root and root's
  ///     group and be readable for the group: these bits show that an access list admits the
  ///     service's user.
  /// - Returns: The bytes; nil when the file does not exist.
  /// - Throws: `KeyringError` with code `keyFileExposed` when other users can read or change the
  ///   file, `vaultUnreachable` when it cannot be read, `itemDamaged` when it is too large.
  func read(limit: Int = Self.limit, isCredential: Bool = false) throws -> SecretBytes? {
    // A symbolic link or a pipe is not a key file: do not follow the one or wait for the other.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if file < 0 {
      if errno == ENOENT { return nil }
      throw unreachable("read")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw unreachable("read") }
    try check(status, mayBeRead: isCredential && status.st_uid == 0 && status.st_gid == 0 ? 0o040 : 0)
    guard status.st_size <= limit else {
      throw KeyringError(.itemDamaged, "\(path) is too large for a key file")
    }
    return try SecretBytes(count: Int(status.st_size)) { bytes in
      var got = 0
      while got < bytes.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[got...])
        let count = pread(file, rest.baseAddress, rest.count, off_t(got))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw unreachable("read") }
        got += count
      }
    }
  }

  private func check(_ status: stat, mayBeRead others: mode_t) throws {
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw KeyringError(
        .keyFileExposed, "\(path) is not a regular file; keys are read from regular files only")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw KeyringError(
        .keyFileExposed, "\(path) belongs to another user; change its owner, or name another file")
    }
    guard status.st_mode & 0o077 & ~others == 0 else {
      throw KeyringError(
        .keyFileExposed,
        "users other than the owner can access \(path); set its mode to 600,"
          + " and rotate the key if they may have read it"
      )
    }
  }

  /// Reads, changes, writes and reads back the file.
  ///
  /// One process at a time does this.
  /// - Parameter body: Gets the file's bytes, or nil when there is no file, and returns the new
  ///   bytes, or nil to change nothing.
  /// - Throws: `KeyringError` with code `storageFailed`, `diskFull` or `readBackFailed`, whatever
  ///   `read` throws, and the closure's error. The file is then unchanged.
  func change(_ body: (SecretBytes?) throws -> SecretBytes?) throws {
    try locked {
      let old = try read()
      guard let new = try body(old) else { return }
      guard new.count <= Self.limit else {
        throw KeyringError(.storageFailed, "\(path) is full; remove keys that are no longer needed")
      }
      try replace(new)
      do {
        guard try read()?.isSame(as: new) == true else {
          throw KeyringError(
            .readBackFailed, "\(path) was written, but reading it back returned something else")
        }
      } catch {
        if let old { try replace(old) } else { unlink(path) }
        throw error
      }
    }
  }

  /// Writes a new file in the same folder, syncs it, and renames it over this one.
  /// - Throws: `KeyringError` with code `diskFull` or `storageFailed`; the file is then unchanged.
  private func replace(_ bytes: SecretBytes) throws {
    let new = "\(path).\(UInt64.random(in: 0...UInt64.max)).new"
    let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failed() }
    var done = false
    defer {
      close(file)
      if !done { unlink(new) }
    }
    try bytes.withUnsafeBytes { bytes in
      var put = 0
      while put < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[put...])
        let count = write(file, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failed() }
        put += count
      }
    }
    guard fsync(file) == 0, rename(new, path) == 0 else { throw failed() }
    done = true
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 {
      fsync(directory)
      close(directory)
    }
  }

  private var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

  /// Runs a closure under a lock that one process at a time can have.
  private func locked<R>(_ body: () throws -> R) throws -> R {
    let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw failed() }
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0 { if errno != EINTR { throw failed() } }
    removeLeftovers()
    return try body()
  }

  /// Removes new files that a killed process left, since they contain keys.
  ///
  /// Under the lock no other process is writing one.
  private func removeLeftovers() {
    let start = URL(fileURLWithPath: path).lastPathComponent + "."
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where name.hasPrefix(start) && name.hasSuffix(".new") {
      let number = name.dropFirst(start.count).dropLast(4)
      if UInt64(number) != nil, number.allSatisfy(\.isNumber) { unlink(folder + "/" + name) }
    }
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
