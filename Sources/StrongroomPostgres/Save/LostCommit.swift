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
  /// - Throws: What became of its connection where nothing was saved; `outcomeUnknown` where no server
  ///   answers in time.
  func settle(_ store: PostgresStore) throws {
    let end = Date(timeIntervalSinceNow: store.description.serverOutcomeTimeout)
    repeat {
      if let isThere = try? store.settled({ try record.isThere($0) }) {
        if isThere { return }
        throw error.storeError
      }
      usleep(100_000)
    } while Date() < end
    throw StoreError.outcomeUnknown(token, cause: error)
  }
}
