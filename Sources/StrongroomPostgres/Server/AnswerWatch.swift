import Foundation
import Locks

/// What becomes of a statement that the server does not answer: a network may swallow it, or its answer.
///
/// However long a statement runs, another connection sees that the server works on it. So no statement is
/// given up for its length, and none is waited for in vain.
struct AnswerWatch: Sendable {
  /// After how many seconds without an answer the other connection asks; again after as many more.
  let interval: TimeInterval
  /// Makes the other connection, to the same server; nil where what is not answered in time is given up.
  let connect: (@Sendable (_ place: [ConnectionSetting]) throws -> ServerConnection)?
  /// Processes of the server that were given up, and may have locked something: to be ended.
  let abandoned = Locked<[ServerProcess]>([])

  /// For the other connection itself, whose statements take no time.
  static let impatient = AnswerWatch(interval: 10, connect: nil)

  /// Whether a process of the server at a place works on a statement.
  func isWorking(_ process: ServerProcess, at place: [ConnectionSetting]) -> Bool {
    guard let connect else { return false }
    do {
      let rows = try connect(place).ask(
        "SELECT state, wait_event FROM pg_stat_activity WHERE \(process.condition)")
      if rows.count == 0 { return false }
      // Hidden where the connection of before had another role.
      if rows.isNull(0, 0) { return true }
      // It does no work while it waits for its client to send more, or to read.
      let isWaiting = !rows.isNull(0, 1) && ["ClientRead", "ClientWrite"].contains(rows.text(0, 1))
      return !isWaiting && ["active", "fastpath function call"].contains(rows.text(0, 0))
    } catch let error as ServerError where error.isFull {
      // It answers, and cannot be asked.
      return true
    } catch {
      return false
    }
  }

  /// Ends the processes that were given up.
  func endAbandoned(_ connection: ServerConnection) throws {
    let all = abandoned.withLock { abandoned in
      defer { abandoned = [] }
      return abandoned
    }
    for (place, process) in all.enumerated() {
      do {
        _ = try connection.ask(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(process.condition)")
      } catch let error as ServerError where !error.isConnectionLost {
        // Of another role, or ended meanwhile.
      } catch {
        abandoned.withLock { $0 += all[place...] }
        throw error
      }
    }
  }
}

/// A process of the server, which has one connection.
struct ServerProcess {
  let number: Int32
  /// When it began, since numbers come again; nil where that is not known.
  let start: String?

  /// When a process began, in SQL: a text that no setting changes.
  static let start = "extract(epoch FROM backend_start)::text"

  /// What finds it in `pg_stat_activity`.
  var condition: String { "pid = \(number)" + (start.map { " AND \(Self.start) = '\($0)'" } ?? "") }
}
