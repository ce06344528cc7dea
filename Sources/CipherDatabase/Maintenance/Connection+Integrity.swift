import CSQLCipher

extension Connection {
  /// What SQLite finds wrong with the file; empty when nothing.
  ///
  /// Reads every page.
  package func integrityCheck() throws(CipherError) -> [String] {
    let statement = try prepare("PRAGMA integrity_check")
    var lines: [String] = []
    while try statement.step() { lines.append(statement.text(0)) }
    return lines == ["ok"] ? [] : lines
  }

  /// Moves the write-ahead log into the file and empties it.
  package func checkpoint() throws(CipherError) { _ = try text("PRAGMA wal_checkpoint(TRUNCATE)") }

  /// Moves as much of the log into the file as others allow, without waiting.
  package func checkpointPassively() throws(CipherError) { _ = try text("PRAGMA wal_checkpoint(PASSIVE)") }

  /// Makes the statement now running on this connection fail with `interrupted`.
  ///
  /// Callable from any thread while the connection is open.
  package func interrupt() { sqlite3_interrupt(database) }
}
