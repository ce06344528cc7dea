package import CSQLCipher

/// The value of a column of the row that a statement stands on.
package struct ColumnValue {
  @usableFromInline let value: OpaquePointer?

  @usableFromInline
  init(_ value: OpaquePointer?) { self.value = value }

  @inlinable @inline(__always) package var isNull: Bool { sqlite3_value_type(value) == SQLITE_NULL }
  @inlinable @inline(__always) package var int64: Int64 { sqlite3_value_int64(value) }
  @inlinable @inline(__always) package var double: Double { sqlite3_value_double(value) }

  /// The bytes of a text or blob.
  @inlinable @inline(__always) package var bytes: UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(value)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }
}
