import CSQLCipher
import Glibc

/// What went wrong in the database layer, with SQLite's own result code.
///
/// Never holds a value or key bytes.
package struct CipherError: Error, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable {
    case libraryIsNotSQLCipher, fileIsMissing, danglingLink, fileIsEmpty, fileIsPlaintext, wrongKeyOrDamaged,
      damagedPage,
      truncated
    case foreignJournal, otherNames, notADatabase, busy, busyForReader, readOnlyDirectory, cannotOpen,
      diskFull, ioError, constraint
    case formatUnavailable, fileReplaced, interrupted, alreadyExists, connectionPoisoned, misuse, tooBig,
      other
  }

  package let code: Code
  package let message: String
  /// SQLite's extended result code; 0 when SQLite was not asked.
  package let resultCode: Int32
  /// The statement; it holds names only, since every value is bound.
  package let sql: String?
  package let fileID: String
  package let line: Int
  /// For damage, pages that are not what was written, where that could be determined.
  package internal(set) var pages: [UInt32] = []
  /// Whether a commit failed, so that its last bytes may have reached the disk or not.
  package internal(set) var isOfCommit = false

  package init(
    _ code: Code, _ message: String, resultCode: Int32 = 0, sql: String? = nil, fileID: String = #fileID,
    line: Int = #line
  ) {
    self.code = code
    self.message = message
    self.resultCode = resultCode
    self.sql = sql
    self.fileID = fileID
    self.line = line
  }

  init(
    _ database: OpaquePointer?, _ result: Int32, sql: String? = nil, fileID: String = #fileID,
    line: Int = #line
  ) {
    let extended = database.map { sqlite3_extended_errcode($0) } ?? result
    let text =
      database.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
      ?? String(cString: sqlite3_errstr(result))
    var code = Code(result & 0xFF)
    // Where a log or its index cannot be made for want of room, the library says that it cannot be
    // opened or read.
    if code == .ioError || code == .cannotOpen, let database,
      [ENOSPC, EDQUOT].contains(sqlite3_system_errno(database))
    {
      code = .diskFull
    }
    // What an export runs inside fails as a function does, with the text alone.
    if code == .other, result == SQLITE_ERROR, text == String(cString: sqlite3_errstr(SQLITE_FULL)) {
      code = .diskFull
    }
    self.init(
      code, text, resultCode: extended & 0xFF == result & 0xFF ? extended : result, sql: sql,
      fileID: fileID, line: line)
  }

  /// Whether the library says no more than that something failed, as it does when it meets a
  /// damaged page while it writes.
  var saysNothing: Bool {
    code == .other && resultCode == SQLITE_ERROR && message == String(cString: sqlite3_errstr(SQLITE_ERROR))
  }

  var ofDamage: CipherError {
    CipherError(.damagedPage, message, resultCode: resultCode, sql: sql, fileID: fileID, line: line)
  }

  package var description: String {
    "\(code.rawValue) (\(resultCode)): \(message)" + (sql.map { " in \($0)" } ?? "")
  }
}

extension CipherError.Code {
  /// - Parameter result: A primary result code of SQLite.
  init(_ result: Int32) { self = Self.ofResult[result] ?? .other }

  private static let ofResult: [Int32: CipherError.Code] = [
    SQLITE_BUSY: .busy, SQLITE_LOCKED: .busy,
    SQLITE_READONLY: .readOnlyDirectory, SQLITE_PERM: .readOnlyDirectory,
    SQLITE_CANTOPEN: .cannotOpen, SQLITE_FULL: .diskFull, SQLITE_IOERR: .ioError,
    SQLITE_CONSTRAINT: .constraint, SQLITE_INTERRUPT: .interrupted, SQLITE_CORRUPT: .damagedPage,
    SQLITE_NOTADB: .wrongKeyOrDamaged, SQLITE_MISUSE: .misuse, SQLITE_TOOBIG: .tooBig,
  ]
}
