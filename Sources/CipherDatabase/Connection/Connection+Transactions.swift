extension Connection {
  package enum TransactionKind: String {
    case deferred = "DEFERRED", immediate = "IMMEDIATE", exclusive = "EXCLUSIVE"
  }

  /// Runs work in a transaction; inside another, in a savepoint.
  ///
  /// An error undoes it and is passed on.
  package func transaction<R>(_ kind: TransactionKind, _ body: () throws -> R) throws -> R {
    if isPoisoned, kind != .deferred {
      throw CipherError(.connectionPoisoned, "damage was found in the store; nothing more is written to it")
    }
    let name = "s\(depth)"
    let outermost = depth == 0
    try run(outermost ? "BEGIN \(kind.rawValue)" : "SAVEPOINT \(name)")
    depth += 1
    defer { depth -= 1 }
    do {
      if outermost, kind != .deferred { try checkInPlace() }
      let result = try body()
      if outermost { try commit() } else { try run("RELEASE \(name)") }
      return result
    } catch {
      if outermost {
        // Some errors have rolled back already.
        if isInTransaction { try? run("ROLLBACK") }
      } else if isInTransaction {
        try? run("ROLLBACK TO \(name)")
        try? run("RELEASE \(name)")
      }
      throw error
    }
  }

  /// Commits the outermost transaction and begins another one, so that the log of long work stays
  /// small.
  package func commitAndGoOn() throws(CipherError) {
    try commit()
    try run("BEGIN IMMEDIATE")
  }

  private func commit() throws(CipherError) {
    do {
      try run("COMMIT")
    } catch {
      var error = error
      error.isOfCommit = error.code == .diskFull || error.code == .ioError
      throw error
    }
  }

  private func run(_ sql: String) throws(CipherError) { try cached(sql).run() }
}
