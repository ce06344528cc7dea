import Foundation
import StoreContract

/// A commit whose answer was lost with the connection.
struct LostCommit {
  let record: CommitRecord
  /// What tells later whether it was done.
  let token: CommitToken?
  let error: ServerError

  /// Finds out what became of it, as soon as a server answers.
  ///
  /// - Throws: `outcomeUnknown` where no server answers in time.
  func settle(_ store: PostgresStore) throws -> CommitRecord.Outcome {
    // No longer than the record is there.
    let patience = min(store.description.serverOutcomeTimeout, CommitRecord.span / 2)
    let end = Date(timeIntervalSinceNow: patience)
    repeat {
      // What it has locked may be what is waited for.
      try? store.open.pool.endAbandoned()
      if let outcome = try? store.settled({ try record.outcome($0) }) { return outcome }
      usleep(100_000)
    } while Date() < end
    throw StoreError.outcomeUnknown(token, cause: error)
  }
}
