import CipherDatabase
import StoreContract

extension SQLCipherStore {
  /// Runs a batch or a change of the history in one transaction, and decides a commit that fails as that of a
  /// save is decided.
  ///
  /// - `token`: What to ask the store for when the outcome is unknown; nil where no row tells.
  /// - Throws: `outcomeUnknown` when the disk fails at the commit and takes no other write either; else the
  ///   failure, with nothing changed.
  func committing<R>(
    _ connection: Connection, token: (R) -> CommitToken? = { _ in nil }, _ body: () throws -> R
  ) throws -> R {
    var result: R?
    do {
      return try connection.transaction(.immediate) {
        let done = try body()
        result = done
        return done
      }
    } catch let error as CipherError where error.isOfCommit {
      try settle(connection, result.flatMap(token), error)
      throw error
    }
  }
}
