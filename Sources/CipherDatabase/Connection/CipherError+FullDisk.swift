extension CipherError {
  /// The same error, as `diskFull` where SQLite says only that a file could not be opened or read:
  /// it forgets the system's error for a log that it could not create, since it tries other ways to
  /// open one.
  func onDisk(of path: String) -> CipherError {
    // A log and its index take 32 KiB at first.
    guard code == .cannotOpen || code == .ioError, !File.isRoom(for: 64 << 10, beside: path) else {
      return self
    }
    return CipherError(
      .diskFull, message, resultCode: resultCode, sql: sql, fileID: fileID, line: line)
  }
}
