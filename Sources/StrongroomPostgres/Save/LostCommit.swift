import Glibc
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

  /// How long a server that is started again is waited for.
  private static let patience = 20

  private enum Outcome {
    case committed, aborted, unknown
  }

  /// Finds out what became of it, as soon as a server answers.
  ///
  /// - Throws: `serverUnreachable` where nothing was saved; `outcomeUnknown` where no server answers in time.
  func settle(_ opened: PostgresStore.Opened) throws {
    for _ in 0..<Self.patience * 10 {
      switch try? outcome(opened) {
      case .committed: return
      case .aborted: throw error.storeError
      case .unknown, nil: usleep(100_000)
      }
    }
    throw StoreError.outcomeUnknown(token, cause: error)
  }

  /// The history decides: the server that answers may be another one, to which the number of the transaction
  /// says nothing, or says it of another transaction.
  private func outcome(_ opened: PostgresStore.Opened) throws -> Outcome {
    let status = try status(opened)
    if status == "in progress" { return .unknown }
    if let place, try opened.pool.read({ try ServerHistory($0, opened).has(place) }) { return .committed }
    return status == "committed" ? (place == nil ? .committed : .unknown) : .aborted
  }

  /// - Returns: Nil where the server has given no such number yet.
  private func status(_ opened: PostgresStore.Opened) throws -> String? {
    try opened.pool.read { connection in
      do {
        return try connection.run(
          "SELECT pg_xact_status($1::text::xid8)", [.text(String(transaction))]
        ).text(0, 0)
      } catch let error as ServerError where error.isNotYet { return nil }
    }
  }
}
