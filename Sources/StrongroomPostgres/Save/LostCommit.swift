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

  private enum Outcome {
    case committed, aborted, unknown
  }

  /// Finds out what became of it, as soon as a server answers.
  ///
  /// - Throws: What became of its connection where nothing was saved; `outcomeUnknown` where no server
  ///   answers in time.
  func settle(_ store: PostgresStore) throws {
    let end = Date(timeIntervalSinceNow: store.description.serverOutcomeTimeout)
    repeat {
      switch try? outcome(store) {
      case .committed: return
      case .aborted: throw error.storeError
      case .unknown, nil: usleep(100_000)
      }
    } while Date() < end
    throw StoreError.outcomeUnknown(token, cause: error)
  }

  /// The history decides: the server that answers may be another one, to which the number of the transaction
  /// says nothing, or says it of another transaction.
  private func outcome(_ store: PostgresStore) throws -> Outcome {
    let opened = try store.open
    if let place {
      let isThere = try store.settled { try ServerHistory($0, opened).has(place) }
      return isThere.map { $0 ? .committed : .aborted } ?? .unknown
    }
    let status = try status(opened)
    if status != .committed { return status }
    // A server that was killed gives the numbers of lost transactions again: it may be another one's commit.
    let isMet = try store.settled { _ in try token?.isMet(in: opened) }
    return isMet.map { $0 ? .committed : .aborted } ?? .unknown
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
