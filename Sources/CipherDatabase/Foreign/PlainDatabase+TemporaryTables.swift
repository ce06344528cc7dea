import CSQLCipher

extension PlainDatabase {
  /// Runs statements without parameters, on temporary tables: the file is opened for reading.
  package func execute(_ sql: String) throws(CipherError) {
    let result = sqlite3_exec(database, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw failure(result, sql) }
  }
}
