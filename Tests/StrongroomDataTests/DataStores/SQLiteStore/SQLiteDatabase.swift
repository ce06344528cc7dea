import CSQLCipher
import Foundation

/// A plain SQLite file: SQLCipher's library without a key.
final class SQLiteDatabase {
  struct Failure: Error { let message: String }

  private var handle: OpaquePointer?
  private var prepared: [String: OpaquePointer] = [:]
  private let log: StatementLog

  init(_ url: URL, log: StatementLog) throws {
    self.log = log
    guard sqlite3_open(url.path, &handle) == SQLITE_OK else { throw failure }
  }

  deinit {
    for statement in prepared.values { sqlite3_finalize(statement) }
    sqlite3_close(handle)
  }

  private var failure: Failure { Failure(message: String(cString: sqlite3_errmsg(handle))) }

  /// Runs a statement, and notes it.
  /// - Returns: Its rows.
  @discardableResult
  func run(_ sql: String, _ values: [SQLiteValue] = []) throws -> [[SQLiteValue]] {
    log.note(sql)
    let statement = try statement(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
      if prepared[sql] == nil { sqlite3_finalize(statement) }
    }
    for (place, value) in values.enumerated() { bind(value, Int32(place + 1), statement) }
    var rows: [[SQLiteValue]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { column(statement, $0) })
      case SQLITE_DONE: return rows
      default: throw failure
      }
    }
  }

  func transaction<R>(_ body: () throws -> R) throws -> R {
    sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil)
    do {
      let result = try body()
      guard sqlite3_exec(handle, "COMMIT", nil, nil, nil) == SQLITE_OK else { throw failure }
      return result
    } catch {
      sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }

  private func statement(_ sql: String) throws -> OpaquePointer? {
    if let known = prepared[sql] { return known }
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
    // One with a list hardly comes again.
    if !sql.contains(" IN (") { prepared[sql] = statement }
    return statement
  }

  private func bind(_ value: SQLiteValue, _ place: Int32, _ statement: OpaquePointer?) {
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch value {
    case .null: sqlite3_bind_null(statement, place)
    case .integer(let number): sqlite3_bind_int64(statement, place, number)
    case .real(let number): sqlite3_bind_double(statement, place, number)
    case .text(let text): sqlite3_bind_text(statement, place, text, Int32(text.utf8.count), copied)
    case .blob(let data):
      if data.isEmpty {
        sqlite3_bind_zeroblob(statement, place, 0)
      } else {
        _ = data.withUnsafeBytes {
          sqlite3_bind_blob(statement, place, $0.baseAddress, Int32($0.count), copied)
        }
      }
    }
  }

  private func column(_ statement: OpaquePointer?, _ place: Int32) -> SQLiteValue {
    switch sqlite3_column_type(statement, place) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, place))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, place))
    case SQLITE_TEXT:
      let count = Int(sqlite3_column_bytes(statement, place))
      let bytes = UnsafeRawBufferPointer(start: sqlite3_column_text(statement, place), count: count)
      return .text(String(decoding: bytes, as: UTF8.self))
    case SQLITE_BLOB:
      let count = Int(sqlite3_column_bytes(statement, place))
      return .blob(Data(UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, place), count: count)))
    default: return .null
    }
  }
}
