import CSQLCipher
import Glibc

/// What went wrong in the database layer, with SQLite's own result code. Never holds a value or key bytes.
package struct CipherError: Error, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable {
    case libraryIsNotSQLCipher, fileIsMissing, danglingLink, fileIsEmpty, fileIsPlaintext, wrongKeyOrDamaged,
      damagedPage,
      truncated
    case foreignJournal, otherNames, notADatabase, busy, readOnlyDirectory, cannotOpen, diskFull, ioError,
      constraint
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
  /// For damage, pages that are not what was written, where that could be told.
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
    // Where a log or its index cannot be made for want of room, the library says that it cannot be opened or read.
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

  /// The same, as a full disk where the library says no more than that a file could not be opened or read: it forgets what the
  /// system said when it could not make a log, since it tries other ways to open one.
  func onDisk(of path: String) -> CipherError {
    // A log and its index take 32 KiB at first.
    guard code == .cannotOpen || code == .ioError, !File.isRoom(for: 64 << 10, beside: path) else {
      return self
    }
    return CipherError(
      .diskFull, message, resultCode: resultCode, sql: sql, fileID: fileID, line: line)
  }

  /// Whether the library says no more than that something failed, as it does when it meets a damaged page while it writes.
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
  init(_ result: Int32) {
    self =
      switch result {
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      case SQLITE_READONLY, SQLITE_PERM: .readOnlyDirectory
      case SQLITE_CANTOPEN: .cannotOpen
      case SQLITE_FULL: .diskFull
      case SQLITE_IOERR: .ioError
      case SQLITE_CONSTRAINT: .constraint
      case SQLITE_INTERRUPT: .interrupted
      case SQLITE_CORRUPT: .damagedPage
      case SQLITE_NOTADB: .wrongKeyOrDamaged
      case SQLITE_MISUSE: .misuse
      case SQLITE_TOOBIG: .tooBig
      default: .other
      }
  }
}
