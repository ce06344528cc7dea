public import Foundation
public import StoreContract

extension PostgresStore {
  /// The place in the history after the last transaction; nil while there is none.
  ///
  /// One statement.
  public var currentHistoryToken: PersistentHistoryToken? {
    get throws {
      let opened = try open
      let last = try opened.pool.read { try ServerHistory($0, opened).last() }
      see(last)
      return last.map { PersistentHistoryToken([opened.identifier: $0]) }
    }
  }

  /// Answers a request for history, or deletes a part of it.
  ///
  /// Five statements for a fetch, one more for each 500 transactions, and two around them; up to nine for a
  /// deletion. Memory grows with what is asked for; `fetchLimit` bounds it. Times are by the server's clock.
  /// - Throws: `modelMismatch` where another program has moved the store to another version of its model;
  ///   `historyTokenExpired` when what follows the token was deleted, `historyTokenForeign` when
  ///   the token is of another store, or of a copy of this one that went another way, both with a token to
  ///   go on from; `readOnly`; `serverUnreachable`.
  public func execute(_ request: PersistentHistoryChangeRequest) throws -> PersistentHistoryResult {
    if request.isDeletion { return try writeHistory { try ServerHistory($0, $1).delete(request) } }
    let opened = try open
    let result = try opened.pool.readMoment {
      try ServerMetadata(connection: $0).check(version: opened.schema.version)
      return try ServerHistory($0, opened).fetch(request)
    }
    see(result.transactions.last?.token.position(in: opened.identifier))
    return result
  }

  // MARK: Consumers

  /// One statement.
  public var historyConsumers: [PersistentHistoryConsumer] {
    get throws { try open.pool.read { try ServerHistoryConsumers($0).all() } }
  }

  /// Two statements in one transaction.
  /// - Throws: `invalidValue` for a span that is no number; `readOnly`, `busy`, `serverUnreachable`.
  public func registerHistoryConsumer(_ name: String, span: TimeInterval) throws {
    if span.isNaN {
      throw StoreError(.invalidValue, "the span of the consumer \"\(name)\" is no number; give it seconds")
    }
    try writeHistory { connection, _ in try ServerHistoryConsumers(connection).register(name, span: span) }
  }

  /// Three statements in one transaction.
  /// - Throws: `notFound` where it is not registered; `historyTokenExpired`, `historyTokenForeign`;
  ///   `readOnly`, `busy`, `serverUnreachable`.
  public func advanceHistoryConsumer(_ name: String, to token: PersistentHistoryToken) throws {
    try writeHistory { connection, opened in
      let number = try ServerHistory(connection, opened).check(token)
      try ServerHistoryConsumers(connection).advance(name, to: number)
    }
  }

  /// Two statements in one transaction.
  /// - Throws: `readOnly`, `busy`, `serverUnreachable`.
  public func removeHistoryConsumer(_ name: String) throws -> Bool {
    try writeHistory { connection, _ in try ServerHistoryConsumers(connection).remove(name) }
  }

  /// All of these may be done twice, so one whose commit was not answered is to be tried again.
  private func writeHistory<R>(_ body: (ServerConnection, Opened) throws -> R) throws -> R {
    try checkWritable()
    let opened = try open
    do {
      return try opened.pool.write(locking: ServerLock.ofSave) { connection in
        try ServerMetadata(connection: connection).check(version: opened.schema.version)
        return try body(connection, opened)
      }
    } catch let failure as CommitFailure { throw failure.error.storeError }
  }
}
