import CSQLCipher
import Glibc

/// An unencrypted SQLite database that another program made, opened for reading.
///
/// The file is never written to, and nothing is made beside it. One with a log is copied, with the
/// log, into a private folder and read there: the log may have rows that the file has not, and
/// SQLite takes a log in by writing. Not Sendable.
package final class PlainDatabase {
  let database: OpaquePointer
  private let source: PlainDatabaseFiles?
  /// The file that was opened; empty for a database without one.
  package var path: String { source?.path ?? "" }

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - path: Its file.
  ///   - scratch: A folder for the copy of a database with a log.
  /// - Throws: `CipherError`: `fileIsMissing`, `fileIsEmpty`, `notADatabase` for what is encrypted
  ///   or of another kind, `busy` when another program writes to it.
  package init(path: String, scratch: String) throws(CipherError) {
    let source = try PlainDatabaseFiles(path)
    self.source = source
    if source.logs.isEmpty {
      database = try Self.open(Connection.immutable(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    } else {
      let copy = try source.copy(into: scratch)
      // What is open needs no name any more, and a kill leaves nothing behind.
      defer { copy.remove() }
      database = try Self.open(copy.path, SQLITE_OPEN_READWRITE)
    }
    sqlite3_extended_result_codes(database, 1)
    // A trigger of a stranger's may call anything.
    _ = csqlcipher_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    // The library would hold what is sorted in memory.
    sqlite3_exec(
      database, "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = FILE", nil,
      nil, nil)
  }

  /// Opens a database without a file, for temporary tables only: they lie encrypted in a file that
  /// has no name and that the system removes when the database is closed, or its process is.
  package init() throws(CipherError) {
    source = nil
    database = try Self.open(":memory:", SQLITE_OPEN_READWRITE)
    sqlite3_extended_result_codes(database, 1)
    sqlite3_exec(database, "PRAGMA temp_store = FILE", nil, nil, nil)
  }

  deinit { sqlite3_close_v2(database) }

  /// What the log, or its absence, may mean for the rows, one sentence each; none where nothing is missing.
  ///
  /// Reads the log to its end.
  package var logNotes: [String] {
    guard let source else { return [] }
    if source.usesLog, source.logs.isEmpty {
      return [
        "no log lies beside it, as after closing in order; if there was a NAME-wal, import again with it,"
          + " since its rows are missing"
      ]
    }
    guard source.logs.contains("-wal"), WriteAheadLogCheck.losesFrames(source.path + "-wal") else {
      return []
    }
    return [
      "its log is damaged or cut off: what was saved behind the damage is missing; look for a better copy"
    ]
  }

  /// Throws `busy` when another program has written to the file or its log since it was opened.
  package func checkUnchanged() throws(CipherError) { try source?.checkUnchanged() }

  /// Prepares a query.
  /// - Throws: `CipherError` when a table or column is not there, or the file is damaged.
  package func query(_ sql: String) throws(CipherError) -> PlainQuery {
    var handle: OpaquePointer?
    let result = sqlite3_prepare_v2(database, sql, -1, &handle, nil)
    guard result == SQLITE_OK, let handle else { throw failure(result, sql) }
    return PlainQuery(handle, of: self, sql: sql)
  }

  /// The names of all tables, not of views and virtual tables, with the names of their columns.
  package func tables() throws(CipherError) -> [String: [String]] {
    let names = try query("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
    var result: [String: [String]] = [:]
    while try names.step() {
      let name = names.text(0)
      let columns = try query("PRAGMA table_info(\(Self.quoted(name)))")
      var found: [String] = []
      while try columns.step() { found.append(columns.text(1)) }
      result[name] = found
    }
    return result
  }

  /// A name as an identifier in SQL.
  package static func quoted(_ name: String) -> String { name.quoted }

  func failure(_ result: Int32, _ sql: String) -> CipherError { CipherError(database, result, sql: sql) }

  private static func open(_ path: String, _ flags: Int32) throws(CipherError) -> OpaquePointer {
    guard let files = TemporaryFileSystem.name else {
      throw CipherError(.cannotOpen, "SQLite's file system cannot be reached")
    }
    var handle: OpaquePointer?
    var result = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, files)
    if result == SQLITE_OK, let handle {
      // Opens the log too, while it has its name.
      result = sqlite3_exec(handle, "BEGIN; SELECT count(*) FROM sqlite_master; COMMIT", nil, nil, nil)
      if result == SQLITE_OK { return handle }
    }
    let error = CipherError(handle, result)
    sqlite3_close_v2(handle)
    throw error
  }
}
