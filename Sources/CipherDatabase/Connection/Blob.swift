import CSQLCipher

/// The bytes of one row's column, read and written where they lie; its length stays the same.
///
/// Of its connection's thread, as a statement is. It expires when the row is written in another
/// way, or its transaction ends.
package final class Blob {
  private var handle: OpaquePointer?
  // unowned(unsafe): a connection closes its blobs before it ends.
  private unowned(unsafe) let connection: Connection
  /// The number of bytes.
  package let count: Int

  /// Opens the value of a row, which must be there and not null.
  ///
  /// Among the statements counted it is none.
  package convenience init(
    _ connection: Connection, table: String, column: String, row: Int64, isWritable: Bool
  ) throws(CipherError) {
    var handle: OpaquePointer?
    let result = sqlite3_blob_open(
      connection.database, "main", table, column, row, isWritable ? 1 : 0, &handle)
    guard result == SQLITE_OK, let handle else { throw connection.failure(result, nil) }
    self.init(handle, of: connection)
  }

  private init(_ handle: OpaquePointer, of connection: Connection) {
    self.handle = handle
    self.connection = connection
    count = Int(sqlite3_blob_bytes(handle))
    connection.open(self)
  }

  /// Puts bytes in the place of those that begin at an offset.
  /// - Throws: `misuse` past the end, and once it is closed; `diskFull`.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(CipherError) {
    let handle = try checked(offset, bytes.count)
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    let result = sqlite3_blob_write(handle, start, Int32(bytes.count), Int32(offset))
    if result != SQLITE_OK { throw connection.failure(result, nil) }
  }

  /// Fills a buffer with the bytes that begin at an offset.
  /// - Throws: `misuse` past the end, and once it is closed.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(CipherError) {
    let handle = try checked(offset, buffer.count)
    guard let start = buffer.baseAddress, !buffer.isEmpty else { return }
    connection.beginReadCheck()
    let result = sqlite3_blob_read(handle, start, Int32(buffer.count), Int32(offset))
    connection.endReadCheck()
    try connection.refuseUnreadable()
    if result != SQLITE_OK { throw connection.failure(result, nil) }
  }

  private func checked(_ offset: Int, _ length: Int) throws(CipherError) -> OpaquePointer {
    guard let handle else { throw CipherError(.misuse, "the value is closed") }
    guard offset >= 0, offset <= count, length <= count - offset else {
      throw CipherError(.misuse, "there are no such bytes in the value")
    }
    return handle
  }

  /// Closes the value; does nothing the second time.
  package func close() {
    guard let handle else { return }
    self.handle = nil
    sqlite3_blob_close(handle)
    connection.forget(self)
  }
}
