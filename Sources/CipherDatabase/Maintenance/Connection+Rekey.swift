import CSQLCipher

extension Connection {
  /// Keeps every other connection, of this process and of others, out of the file until this one
  /// closes.
  /// - Throws: `busy` when another connection has the file open, after the busy timeout.
  package func lockExclusively() throws(CipherError) {
    try execute("PRAGMA locking_mode = EXCLUSIVE")
    try execute("BEGIN EXCLUSIVE")
    try execute("COMMIT")
  }

  /// Encrypts the whole file under another key and the same salt, then closes this connection
  /// whatever happened.
  ///
  /// SQLCipher answers success when it failed, and a write on this connection would then destroy
  /// the file. Lock the file exclusively before, and find out afterwards by opening it.
  /// - Returns: Whether the disk has no room for all pages once more, which is why it failed where
  ///   it did.
  package func rekeyAndClose(_ key: CipherKeySpec) -> Bool {
    precondition(
      key.salt == salt, "a rekey with another salt leaves files that no key opens when it is interrupted")
    closeStatements()
    // The log has 24 bytes a page besides, and an index.
    let isTight = !File.isRoom(for: file.size + file.size / 128 + (64 << 10), beside: file.path)
    _ = key.withText { sqlite3_rekey_v2(database, "main", $0.baseAddress, Int32($0.count)) }
    close()
    return isTight
  }
}
