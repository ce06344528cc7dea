import CipherDatabase
import Foundation
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
        try opened.pool.read { try HistoryTable($0, opened).last() }.map {
          HistoryReader.token($0.number, $0.fingerprint, opened.identifier)
        }
      }
    }
  }

  /// Answers a request for history, or deletes a part of it.
  ///
  /// Three statements for a fetch, five for a deletion. Memory grows with what is asked for; `fetchLimit` bounds it.
  /// - Throws: `historyTokenExpired` when what follows the token was deleted, `historyTokenForeign` when the
  ///   token is of another store, or of a copy of this one that went another way, both with a token to go on
  ///   from; `readOnly`; `fileDamaged`.
  public func execute(_ request: PersistentHistoryChangeRequest) throws -> PersistentHistoryResult {
    let opened = try open
    if request.isDeletion { try checkWritable() }
    if !opened.hasHistory { return PersistentHistoryResult(request.resultType) }
    return try translating(path) {
      if request.isDeletion {
        return try opened.pool.write { connection in
          try connection.transaction(.immediate) {
            try HistoryReader(connection, opened, path).delete(request)
          }
        }
      }
      return try opened.pool.read { connection in
        try connection.transaction(.deferred) { try HistoryReader(connection, opened, path).fetch(request) }
      }
    }
  }
}
