import CSQLCipher

/// Detects pages that could not be read.
///
/// SQLCipher 3 (measured with 3.4.1) returns zeros for a page whose MAC is wrong, and reports that
/// only when another page is read in the same transaction. A value whose last page is damaged would
/// end in zeros, without an error. Version 4 fails, but its error does not mention damage. So a
/// second query keeps the transaction of each query open until its end, and then reads a page that
/// is in the cache.
struct ReadCheck {
  /// Reads no page for its first row, and the schema's first page for its second.
  private static let sql = "SELECT 1 UNION ALL SELECT 1 FROM sqlite_master LIMIT 2"

  private var probe: OpaquePointer?
  private var isAtWork = false
  /// The queries under way; the check begins with the first and ends with the last.
  private var queries = 0
  /// The damage that was found and not reported yet.
  var finding: CipherError?

  /// Whether a statement is a query.
  ///
  /// PRAGMA statements are excluded: some of them allow no other statement beside them.
  static func concerns(_ statement: OpaquePointer) -> Bool {
    guard sqlite3_column_count(statement) > 0, sqlite3_stmt_readonly(statement) != 0,
      let sql = sqlite3_sql(statement)
    else { return false }
    return sql[0] != CChar(bitPattern: UInt8(ascii: "P"))
  }

  mutating func prepare(_ database: OpaquePointer) {
    sqlite3_prepare_v2(database, Self.sql, -1, &probe, nil)
  }

  mutating func close() {
    sqlite3_finalize(probe)
    probe = nil
  }

  mutating func begin() {
    queries += 1
    if queries == 1, let probe { isAtWork = sqlite3_step(probe) == SQLITE_ROW }
  }

  /// - Returns: Whether a page could not be read.
  mutating func end() -> Bool {
    queries -= 1
    guard queries == 0, isAtWork, let probe else { return false }
    isAtWork = false
    let result = sqlite3_step(probe) & 0xFF
    sqlite3_reset(probe)
    // Not where others stopped it.
    return [SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB].contains(result)
  }
}

extension Connection {
  func beginReadCheck() { readCheck.begin() }

  func endReadCheck() {
    if readCheck.end() { readCheck.finding = failure(SQLITE_CORRUPT, nil) }
  }

  /// - Throws: `damagedPage` where a query since the last call met a page that could not be read.
  package func refuseUnreadable() throws(CipherError) {
    guard let error = readCheck.finding else { return }
    readCheck.finding = nil
    throw error
  }
}
