import CipherDatabase
public import Foundation
import ObjectModel
public import StoreContract

extension SQLCipherStore {
  /// The place in the history after the last transaction; nil while there is none.
  ///
  /// One statement.
  public var currentHistoryToken: PersistentHistoryToken? {
    get throws {
      let opened = try open
      if !opened.hasHistory { return nil }
      return try translating(path) {
        try opened.pool.read { try HistoryTable($0, opened.schema, opened.historyNames).last() }.map {
          HistoryReader.token($0.number, Data($0.fingerprint), opened.identifier)
        }
      }
    }
  }

  /// Answers a request for history, or deletes a part of it.
  ///
  /// Three statements for a fetch, eight for a deletion. Memory grows with what is asked for; `fetchLimit`
  /// bounds it.
  /// - Throws: `historyTokenExpired` when what follows the token was deleted, `historyTokenForeign` when
  ///   the token is of another store, or of a copy of this one that went another way, both with a token to
  ///   go on from; `readOnly`; `fileDamaged`.
  public func execute(_ request: PersistentHistoryChangeRequest) throws -> PersistentHistoryResult {
    if request.isDeletion {
      return try writeHistory { try HistoryReader($0, $1, path).delete(request) }
    }
    let opened = try open
    if !opened.hasHistory { return PersistentHistoryResult(request.resultType) }
    return try translating(path) {
      try opened.pool.read { connection in
        try connection.transaction(.deferred) { try HistoryReader(connection, opened, path).fetch(request) }
      }
    }
  }

  // MARK: Consumers

  /// One statement.
  public var historyConsumers: [PersistentHistoryConsumer] {
    get throws {
      let opened = try open
      if !opened.hasHistory { return [] }
      return try translating(path) { try opened.pool.read { try HistoryConsumers($0).all() } }
    }
  }

  /// Three statements in one transaction.
  /// - Throws: `invalidValue` for a span that is no number; `readOnly`, `busy`, `diskFull`.
  public func registerHistoryConsumer(_ name: String, span: TimeInterval) throws {
    if span.isNaN {
      throw StoreError(.invalidValue, "the span of the consumer \"\(name)\" is no number; give it seconds")
    }
    try writeHistory { connection, opened in
      let last = try HistoryTable(connection, opened.schema, opened.historyNames).last()
      try HistoryConsumers(connection).register(name, span: span, at: last?.number ?? 0)
    }
  }

  /// Two statements in one transaction.
  /// - Throws: `notFound` where it is not registered; `historyTokenExpired`, `historyTokenForeign`;
  ///   `readOnly`, `busy`, `diskFull`.
  public func advanceHistoryConsumer(_ name: String, to token: PersistentHistoryToken) throws {
    try writeHistory { connection, opened in
      let number = try HistoryReader(connection, opened, path).check(token)
      try HistoryConsumers(connection).advance(name, to: number)
    }
  }

  /// One statement.
  /// - Throws: `readOnly`, `busy`, `diskFull`.
  public func removeHistoryConsumer(_ name: String) throws -> Bool {
    try writeHistory { connection, _ in try HistoryConsumers(connection).remove(name) }
  }

  private func writeHistory<R>(_ body: (Connection, Opened) throws -> R) throws -> R {
    let opened = try open
    try checkWritable()
    return try translating(path) {
      try opened.pool.write { connection in
        try committing(connection) { try body(connection, opened) }
      }
    }
  }
}
