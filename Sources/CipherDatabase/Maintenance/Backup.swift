import CSQLCipher

/// Copies a snapshot of a database page by page, while other connections write to it.
package enum Backup {
  private static let pagesPerStep: Int32 = 256

  /// Copies into a new encrypted file of the same format.
  ///
  /// Complete, synced and closed when this answers.
  /// - Throws: `interrupted` when `progress` stopped it, `alreadyExists`, `diskFull` and the like.
  ///   The new file is then removed.
  package static func copy(
    _ source: Connection, to path: String, key: CipherKeySpec, format: CipherFormat,
    progress: Export.Progress
  ) throws {
    var options = ConnectionOptions()
    options.createIfMissing = true
    options.format = format
    options.journal = .rollback
    let target = try Connection(path: path, key: key, options: options)
    do {
      // A reader's snapshot: later commits neither show in the copy nor restart it.
      try source.transaction(.deferred) {
        try source.execute("SELECT count(*) FROM sqlite_master")
        try step(source, target, progress)
      }
      try target.file.sync()
      // Given an unencrypted target, the library would write clear text and say nothing.
      guard try target.file.head(16) == key.salt else {
        throw CipherError(.libraryIsNotSQLCipher, "the copy at \(path) was not encrypted; it was removed")
      }
      target.close()
    } catch {
      target.close()
      File.removeDatabase(path)
      throw error
    }
  }

  private static func step(
    _ source: Connection, _ target: Connection, _ progress: Export.Progress
  ) throws {
    guard let backup = sqlite3_backup_init(target.database, "main", source.database, "main") else {
      throw CipherError(target.database, sqlite3_errcode(target.database))
    }
    var result = SQLITE_OK
    var goesOn = true
    while goesOn, result == SQLITE_OK {
      result = sqlite3_backup_step(backup, pagesPerStep)
      let total = Int(sqlite3_backup_pagecount(backup))
      goesOn = progress(total - Int(sqlite3_backup_remaining(backup)), total)
    }
    sqlite3_backup_finish(backup)
    guard result == SQLITE_DONE else {
      if !goesOn { throw CipherError(.interrupted, "the copying was stopped") }
      throw CipherError(target.database, result)
    }
  }
}
