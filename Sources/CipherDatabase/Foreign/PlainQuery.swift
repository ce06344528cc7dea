import CSQLCipher

/// A prepared query on a plain database.
package final class PlainQuery {
  /// What a column of a row holds.
  package enum Kind { case null, integer, real, text, blob }

  private let handle: OpaquePointer
  private let database: PlainDatabase
  private let sql: String

  init(_ handle: OpaquePointer, of database: PlainDatabase, sql: String) {
    self.handle = handle
    self.database = database
    self.sql = sql
  }

  deinit { sqlite3_finalize(handle) }

  /// Moves to the next row; false after the last.
  package func step() throws(CipherError) -> Bool {
    let result = sqlite3_step(handle)
    if result == SQLITE_ROW { return true }
    guard result == SQLITE_DONE else { throw database.failure(result, sql) }
    return false
  }

  /// Starts again, with another value of the first parameter.
  package func restart(_ value: Int64) {
    sqlite3_reset(handle)
    sqlite3_bind_int64(handle, 1, value)
  }

  /// Starts again, with other values of the first two parameters.
  package func restart(_ first: Int64, _ second: Int64) {
    restart(first)
    sqlite3_bind_int64(handle, 2, second)
  }

  /// Starts again, with parameters that the closure binds.
  package func restart(_ bind: (PlainParameters) -> Void) {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    bind(PlainParameters(handle))
  }

  /// Releases what the rows and parameters take.
  package func reset() { sqlite3_reset(handle) }

  /// The number of columns.
  package var columnCount: Int32 { sqlite3_column_count(handle) }

  /// What a column of the row holds.
  package func kind(_ column: Int32) -> Kind {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  package func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// The bytes of a text or blob, valid until the next step.
  package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  package func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
}
