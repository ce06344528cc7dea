import CLibPQ
import StoreContract

extension ServerConnection {
  /// How much is sent of rows that are copied at a time.
  private static let copiedTogether = 1 << 16

  /// Copies rows into a table, in a transaction: two round trips, after that of what was added.
  ///
  /// - Parameters:
  ///   - target: The table and its columns.
  ///   - key: The constraint that tells rows that are there already.
  ///   - rows: How many rows there are.
  ///   - columns: How many columns they have.
  ///   - add: Adds the values of a row.
  /// - Returns: Whether the rows are there; none is where the table has one of them already.
  /// - Throws: `ServerError`, and what the closure throws.
  func copy(
    into target: String, key: String, rows: Int, columns: Int,
    _ add: (Int, inout ServerValues) throws -> Void
  ) throws -> Bool {
    try flush()
    let start = answer(
      PQsendQuery(handle, release() + "SAVEPOINT copy; COPY \(target) FROM STDIN (FORMAT binary)"))
    defer { PQclear(start) }
    guard PQresultStatus(start) == PGRES_COPY_IN else { throw failure(start) }
    do { try send(rows, columns, add) } catch {
      if PQputCopyEnd(handle, "") == 1 { _ = nextAnswer() }
      throw error
    }
    roundTrips.withLock { $0 += 1 }
    guard PQputCopyEnd(handle, nil) == 1 else { throw ServerError(nil, handle) }
    switch nextAnswer() {
    case .success(let answer):
      guard answer.command == "COPY \(rows)" else { throw StoreError.suppressed }
      hasSavepoint = true
      return true
    case .failure(let error):
      guard error.isNotUnique, error.constraint == key else { throw error }
      try execute("ROLLBACK TO SAVEPOINT copy; RELEASE SAVEPOINT copy")
      return false
    }
  }

  /// Releases the savepoint, in SQL; nothing where there is none.
  func release() -> String {
    defer { hasSavepoint = false }
    return hasSavepoint ? "RELEASE SAVEPOINT copy;" : ""
  }

  private func send(
    _ rows: Int, _ columns: Int, _ add: (Int, inout ServerValues) throws -> Void
  ) throws {
    var values = ServerValues()
    // The signature, no flags, nothing more in the header (postgresql.org, "COPY").
    values.add(Array("PGCOPY\n\u{FF}\r\n\0".unicodeScalars.map { UInt8($0.value) }))
    values.add(Int32(0))
    values.add(Int32(0))
    for row in 0..<rows {
      values.add(Int16(truncatingIfNeeded: columns))
      try add(row, &values)
      if values.bytes.count >= Self.copiedTogether { try put(&values) }
    }
    values.add(Int16(-1))
    try put(&values)
  }

  /// What it does not take, the answer at the end says.
  private func put(_ values: inout ServerValues) throws {
    values.bytes.withUnsafeBytes { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      _ = PQputCopyData(handle, start, Int32(truncatingIfNeeded: bytes.count))
    }
    values.removeAll()
    if !waitUntilSent() { throw failure(nil) }
  }
}
