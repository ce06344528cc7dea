import CSQLCipher
import Glibc

/// A new unencrypted SQLite database, written for other programs.
///
/// It has its name once it is whole. Not Sendable.
package final class PlainDatabaseWriter {
  private let database: OpaquePointer
  private let path: String
  private let unfinished: String
  private var statements: [String: OpaquePointer] = [:]
  private var isClosed = false

  /// Makes the file, under a name of its own beside the one that it is to have.
  /// - Throws: `CipherError`: `alreadyExists`, `diskFull`, `cannotOpen`.
  package init(path: String) throws(CipherError) {
    if FilePath.isTaken(path) {
      throw CipherError(.alreadyExists, "there is a file at \(path) already; give the new one another name")
    }
    self.path = path
    unfinished = UnfinishedCopy.path(beside: path)
    try File.create(unfinished)
    var handle: OpaquePointer?
    let result = sqlite3_open_v2(unfinished, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard result == SQLITE_OK, let handle else {
      let error = CipherError(handle, result)
      sqlite3_close_v2(handle)
      File.removeDatabase(unfinished)
      throw error
    }
    database = handle
    sqlite3_extended_result_codes(database, 1)
  }

  deinit { abandon() }

  /// Removes the file where it was not finished.
  private func abandon() {
    guard !isClosed else { return }
    close()
    File.removeDatabase(unfinished)
  }

  private func close() {
    for statement in statements.values { sqlite3_finalize(statement) }
    statements = [:]
    sqlite3_close_v2(database)
    isClosed = true
  }

  /// Runs statements without parameters.
  package func execute(_ sql: String) throws(CipherError) {
    let result = sqlite3_exec(database, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw CipherError(database, result, sql: sql) }
  }

  /// Prepares a statement once, binds its parameters and runs it.
  ///
  /// Texts and blobs that are bound without a copy must stay unchanged until this returns.
  package func run(_ sql: String, _ bind: (PlainParameters) throws -> Void) throws {
    let statement = try prepared(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    try bind(PlainParameters(statement))
    let result = sqlite3_step(statement)
    guard result == SQLITE_DONE || result == SQLITE_ROW else { throw CipherError(database, result, sql: sql) }
  }

  /// How many rows the last statement changed.
  package var changes: Int { Int(sqlite3_changes(database)) }

  private func prepared(_ sql: String) throws(CipherError) -> OpaquePointer {
    if let known = statements[sql] { return known }
    var handle: OpaquePointer?
    let result = sqlite3_prepare_v2(database, sql, -1, &handle, nil)
    guard result == SQLITE_OK, let handle else { throw CipherError(database, result, sql: sql) }
    statements[sql] = handle
    return handle
  }

  private static func sync(_ path: String) throws(CipherError) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw File.failure(path) }
    defer { Glibc.close(file) }
    guard fsync(file) == 0 else { throw File.failure(path) }
  }

  /// Gives the file its name, once it is on the disk.
  package func finish() throws(CipherError) {
    close()
    do {
      try Self.sync(unfinished)
      try File.placeDatabase(unfinished, at: path)
    } catch {
      File.removeDatabase(unfinished)
      throw error
    }
  }
}

/// The parameters of a statement that is about to run.
package struct PlainParameters {
  private let statement: OpaquePointer

  init(_ statement: OpaquePointer) { self.statement = statement }

  package func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(statement, index, value) }
  package func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(statement, index, value) }

  /// Binds UTF-8; `copy` where the bytes may change before the statement has run.
  package func bind(_ index: Int32, text: UnsafeRawBufferPointer, copy: Bool = false) {
    let start = text.baseAddress ?? UnsafeRawPointer(Statement.nothing)
    sqlite3_bind_text64(
      statement, index, start.assumingMemoryBound(to: CChar.self), UInt64(text.count),
      copy ? Statement.transient : nil, UInt8(SQLITE_UTF8))
  }

  package func bind(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bind(index, text: UnsafeRawBufferPointer($0), copy: true) }
  }

  /// Binds bytes; none are an empty blob, not NULL.
  package func bind(_ index: Int32, blob: UnsafeRawBufferPointer, copy: Bool = false) {
    guard let start = blob.baseAddress, !blob.isEmpty else {
      sqlite3_bind_zeroblob(statement, index, 0)
      return
    }
    sqlite3_bind_blob64(statement, index, start, UInt64(blob.count), copy ? Statement.transient : nil)
  }
}
