import Glibc

extension DatabaseFile {
  /// Replaces this file, which the caller has locked exclusively and which may be unreadable, by
  /// another database file.
  ///
  /// A log left beside this file would be taken for the new file's, so it is renamed first. Its new
  /// name identifies this file: after a kill in between, the next opening of this file gives the
  /// log its name back (`restoreLogs`).
  /// - Throws: `diskFull`, `readOnlyDirectory` and the like; file and log are then as they were.
  package func replaceDatabase(with new: String) throws(CipherError) {
    // A store that could not be given to its owner is better than none.
    try? giveOwnership(to: new)
    let mark = mark
    for suffix in Self.logs { rename(path + suffix, path + suffix + mark) }
    // Without contents of its own. Once the new file has the name, what lies beside it is of those
    // who open it.
    unlink(path + "-shm")
    do throws(CipherError) {
      try File.replace(path, with: new)
    } catch {
      if isInPlace { restoreLogs() }
      throw error
    }
    for suffix in Self.logs { unlink(path + suffix + mark) }
  }

  private static let logs = ["-wal", "-journal"]

  /// What a log's name gets that is put aside.
  ///
  /// A file that comes to have the same number was written at another time.
  private var mark: String {
    var status = stat()
    fstat(descriptor, &status)
    return ".of-\(identity.inode)-\(status.st_size)-\(status.st_mtim.tv_sec)-\(status.st_mtim.tv_nsec)"
  }

  /// Gives logs their names back that an interrupted replacement put aside.
  func restoreLogs() {
    let mark = mark
    for suffix in Self.logs { File.restore(path + suffix + mark, to: path + suffix) }
  }
}
