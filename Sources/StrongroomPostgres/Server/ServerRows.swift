import CLibPQ

/// The rows that a statement returned, in binary format.
final class ServerRows {
  private let result: OpaquePointer

  /// Owns the result.
  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  var count: Int { Int(PQntuples(result)) }
  var columnCount: Int { Int(PQnfields(result)) }

  /// What the server says that it did.
  var command: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

  /// The object identifier of a column's type.
  func type(_ column: Int) -> UInt32 { PQftype(result, Int32(truncatingIfNeeded: column)) }

  @inline(__always)
  func isNull(_ row: Int, _ column: Int) -> Bool {
    PQgetisnull(result, Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column)) != 0
  }

  /// Valid as long as the rows are.
  @inline(__always)
  func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    let (row, column) = (Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column))
    return UnsafeRawBufferPointer(
      start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
  }

  /// The bytes of a value; nil where it is null.
  @inline(__always)
  func value(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
    let bytes = bytes(row, column)
    return bytes.isEmpty && isNull(row, column) ? nil : bytes
  }

  /// Zero for null, and for what is no number of eight bytes.
  @inline(__always)
  func number(_ row: Int, _ column: Int) -> Int64 {
    Self.number(bytes(row, column))
  }

  @inline(__always)
  static func number(_ value: UnsafeRawBufferPointer) -> Int64 {
    value.count == 8 ? Int64(bigEndian: value.loadUnaligned(as: Int64.self)) : 0
  }

  @inline(__always)
  func double(_ row: Int, _ column: Int) -> Double {
    Double(bitPattern: UInt64(bitPattern: number(row, column)))
  }

  func boolean(_ row: Int, _ column: Int) -> Bool { bytes(row, column).first == 1 }
  func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }
}
