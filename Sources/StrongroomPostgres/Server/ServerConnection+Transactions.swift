extension ServerConnection {
  /// Runs a closure in a transaction, which begins with its first statement; what it throws rolls back.
  ///
  /// One round trip for the commit, in which what the closure has added and not executed goes first.
  /// - Parameters:
  ///   - begin: The statement that begins it.
  ///   - lock: A statement that takes a lock, before all others.
  ///   - body: Executes the statements.
  /// - Returns: What the closure returns.
  /// - Throws: `CommitFailure` where the connection is lost from the commit's round trip on: unless a server
  ///   says so, it is unknown whether it was done. Else nothing was done.
  func transaction<R>(
    _ begin: String = "BEGIN", locking lock: String? = nil, _ body: () throws -> R
  ) throws -> R {
    willBegin()
    add(begin)
    if let lock { add(lock) }
    return try ending(body) {
      // A transaction in which a statement failed ends with another answer.
      add("COMMIT") { if $0.command != "COMMIT" { throw ServerError.rolledBack } }
      try flush()
    }
  }

  /// Runs a closure whose statements are sent together, which makes them a transaction: two statements fewer.
  ///
  /// - Parameter body: Adds the statements, and may push them.
  /// - Returns: What the closure returns.
  /// - Throws: As `transaction(_:locking:_:)`; `Unexpected` where the closure waits for an answer.
  func transactionOfOneTrip<R>(_ body: () throws -> R) throws -> R {
    willBegin()
    isOneTrip = true
    return try ending(body) {
      try flush(isEnd: true)
      isOneTrip = false
    }
  }

  private func ending<R>(_ body: () throws -> R, _ commit: () throws -> Void) throws -> R {
    var isCommitting = false
    do {
      let value = try body()
      isCommitting = true
      try commit()
      return value
    } catch let error as ServerError where isCommitting && error.isConnectionLost {
      giveUp()
      throw CommitFailure(error: error)
    } catch {
      rollBack()
      throw error
    }
  }
}

/// A commit whose connection was lost: it is unknown whether it was done.
struct CommitFailure: Error {
  let error: ServerError
}
