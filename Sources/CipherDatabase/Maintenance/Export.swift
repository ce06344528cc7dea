import CSQLCipher
import Glibc

/// Copies a whole database, object by object, into a new file of another key, format, or none.
package enum Export {
  /// Called now and then with pages made and pages expected; answers false to stop.
  package typealias Progress = (_ done: Int, _ of: Int) -> Bool

  /// Copies an open database into a new encrypted file.
  ///
  /// The new file is complete, synced and closed when this answers.
  /// - Throws: `interrupted` when `progress` stopped it, `alreadyExists`, `diskFull` and the like.
  ///   The new file is then removed.
  package static func copy(
    _ source: Connection, to path: String, key: CipherKeySpec, format: CipherFormat,
    progress: @escaping Progress
  ) throws {
    try File.create(path)
    try copy(source.database, to: path, progress: progress) { schema, statement in
      key.withText { bind(statement, $0) }
      return format.settings(schema)
    }
  }

  /// Copies an open database into a new unencrypted file.
  /// - Throws: as above.
  package static func copyUnencrypted(
    _ source: Connection, to path: String, progress: @escaping Progress
  ) throws {
    try File.create(path)
    try copy(source.database, to: path, progress: progress) { _, statement in
      // An empty key is the one way to say that there is none.
      bind(statement, UnsafeRawBufferPointer(start: nil, count: 0))
      return []
    }
  }

  /// Copies an unencrypted database into a new encrypted file of the format of new stores.
  /// - Throws: as above, and `notADatabase` when the source is none.
  package static func encrypt(
    _ source: String, to path: String, key: CipherKeySpec, progress: @escaping Progress
  ) throws {
    try Connection.checkLibrary()
    let file = try DatabaseFile(source)
    var handle: OpaquePointer?
    defer {
      sqlite3_close_v2(handle)
      file.release()
    }
    guard sqlite3_open_v2(file.path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil) == SQLITE_OK,
      let handle
    else { throw CipherError(handle, SQLITE_CANTOPEN) }
    sqlite3_busy_timeout(handle, 5000)
    try run(handle, "SELECT count(*) FROM sqlite_master")
    try run(handle, "PRAGMA temp_store = MEMORY")
    try File.create(path)
    try copy(handle, to: path, progress: progress) { schema, statement in
      key.withText { bind(statement, $0) }
      return CipherFormat.version3.settings(schema)
    }
  }

  private static func bind(_ statement: OpaquePointer, _ text: UnsafeRawBufferPointer) {
    if text.isEmpty {
      sqlite3_bind_text(statement, 2, "", 0, nil)
    } else {
      // Transient: SQLite wipes nothing of its own, but keeps no pointer to ours either.
      let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      sqlite3_bind_text(
        statement, 2, text.bindMemory(to: CChar.self).baseAddress, Int32(text.count), transient)
    }
  }

  private static func copy(
    _ source: OpaquePointer, to path: String, progress: @escaping Progress,
    key: (_ schema: String, _ statement: OpaquePointer) -> [String]
  ) throws {
    let target = try DatabaseFile(path)
    defer { target.release() }
    do {
      let settings = try attach(source, path, key)
      defer { _ = try? run(source, "DETACH DATABASE _copy") }
      for setting in settings { try run(source, setting) }
      try run(source, "PRAGMA _copy.journal_mode = MEMORY")
      try run(source, "PRAGMA _copy.synchronous = FULL")
      let watch = ExportWatch(source, expected: try number(source, "PRAGMA main.page_count"), progress)
      defer { watch.stop() }
      do {
        try run(source, "SELECT sqlcipher_export('_copy')")
      } catch  where watch.wasStopped {
        throw CipherError(.interrupted, "the copying was stopped")
      }
      // What the export leaves out.
      for name in ["user_version", "application_id"] {
        try run(source, "PRAGMA _copy.\(name) = \(try number(source, "PRAGMA main.\(name)"))")
      }
    } catch {
      File.removeDatabase(path)
      throw error
    }
    try target.sync()
  }

  private static func attach(
    _ source: OpaquePointer, _ path: String, _ key: (String, OpaquePointer) -> [String]
  ) throws -> [String] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(source, "ATTACH DATABASE ?1 AS _copy KEY ?2", -1, &statement, nil) == SQLITE_OK,
      let statement
    else { throw CipherError(source, SQLITE_ERROR) }
    defer { sqlite3_finalize(statement) }
    sqlite3_bind_text(statement, 1, path, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    let settings = key("_copy", statement)
    let result = sqlite3_step(statement)
    guard result == SQLITE_DONE else { throw CipherError(source, result) }
    return settings
  }

  private static func number(_ database: OpaquePointer, _ sql: String) throws -> Int64 {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
      throw CipherError(database, sqlite3_errcode(database), sql: sql)
    }
    defer { sqlite3_finalize(statement) }
    return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0
  }

  private static func run(_ database: OpaquePointer, _ sql: String) throws {
    let result = sqlite3_exec(database, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw CipherError(database, result, sql: sql) }
  }
}

/// Calls back while a statement runs, and stops it on request.
final class ExportWatch {
  private let database: OpaquePointer
  private let expected: Int
  private let progress: Export.Progress
  private(set) var wasStopped = false

  init(_ database: OpaquePointer, expected: Int64, _ progress: @escaping Export.Progress) {
    self.database = database
    self.expected = Int(expected)
    self.progress = progress
    sqlite3_progress_handler(
      database, 20_000,
      { context in
        guard let context else { return 1 }
        return Unmanaged<ExportWatch>.fromOpaque(context).takeUnretainedValue().goesOn ? 0 : 1
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private var goesOn: Bool {
    // The size of the copy in pages, as its pager counts it.
    var file: UnsafeMutablePointer<sqlite3_file>?
    var size: Int64 = 0
    if sqlite3_file_control(database, "_copy", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
      let methods = file.pointee.pMethods
    {
      _ = methods.pointee.xFileSize?(file, &size)
    }
    wasStopped = !progress(min(Int(size / 4096), expected), expected)
    return !wasStopped
  }

  func stop() { sqlite3_progress_handler(database, 0, nil, nil) }
}
