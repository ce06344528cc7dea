import Foundation
import StoreContract

/// A commit whose answer was lost with the connection.
struct LostCommit {
  /// The number that the server gave to the transaction.
  let transaction: Int64
  /// Its place in the history; nil where it has none.
  let place: PersistentHistoryToken.Position?
  /// What tells later whether it was done.
  let token: CommitToken?
  let error: ServerError

  /// For how many seconds a server that is started again is waited for, besides the last attempt to connect.
  private static let patience: TimeInterval = 20

  private enum Outcome {
    case committed, aborted, unknown
  }

  /// Finds out what became of it, as soon as a server answers.
  ///
  /// - Throws: `serverUnreachable` where nothing was saved; `outcomeUnknown` where no server answers in time.
  func settle(_ opened: PostgresStore.Opened) throws {
    let end = Date(timeIntervalSinceNow: Self.patience)
    repeat {
      switch try? outcome(opened) {
      case .committed: return
      case .aborted: throw error.storeError
      case .unknown, nil: usleep(100_000)
      }
    } while Date() < end
    throw StoreError.outcomeUnknown(token, cause: error)
  }

  /// The history decides: the server that answers may be another one, to which the number of the transaction
  /// says nothing, or says it of another transaction.
  private func outcome(_ opened: PostgresStore.Opened) throws -> Outcome {
    // Before the history is looked at: a commit in progress may end in between.
    let status = try status(opened)
    switch try isThere(opened) {
    case true?: return .committed
    // A server that was killed gives the numbers of lost transactions again: it is another one's commit.
    case false?: return status == .committed ? .aborted : status
    case nil: return status == .committed && place != nil ? .unknown : status
    }
  }

  /// Whether the store has what was saved; nil where that cannot be seen.
  private func isThere(_ opened: PostgresStore.Opened) throws -> Bool? {
    if let place { return try opened.pool.read { try ServerHistory($0, opened).has(place) } }
    return try token.flatMap { try $0.isMet(in: opened) }
  }

  /// What the server says of the number: one that it has not given yet is of no transaction that is there.
  private func status(_ opened: PostgresStore.Opened) throws -> Outcome {
    try opened.pool.read { connection in
      do {
        let rows = try connection.run(
          "SELECT pg_xact_status($1::text::xid8)", [.text(String(transaction))])
        switch rows.isNull(0, 0) ? "too old" : rows.text(0, 0) {
        case "committed": return .committed
        case "aborted": return .aborted
        default: return .unknown
        }
      } catch let error as ServerError where error.isNotYet { return .aborted }
    }
  }
}
