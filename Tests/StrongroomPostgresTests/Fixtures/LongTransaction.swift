import Foundation
import PostgresServer

/// A transaction in another session, which holds its locks until a test ends it.
final class LongTransaction: Sendable {
  private let server: PostgresServer
  private let mark = UUID().uuidString
  private let run: Background<String>

  /// Begins it, and waits until it has done its statements.
  init(_ statements: String, on server: PostgresServer) throws {
    self.server = server
    let sql = "BEGIN; \(statements); SELECT pg_sleep(600), '\(mark)'; ROLLBACK"
    run = Background { try server.execute(sql) }
    while try !run.isDone && server.execute("SELECT count(*) \(sleeping)") == "0\n" { usleep(10_000) }
  }

  /// Locks the table of notes.
  convenience init(locking notes: NoteStore, on server: PostgresServer) throws {
    try self.init("LOCK TABLE \"\(notes.store.description.serverSchema)\".\"Note\"", on: server)
  }

  private var sleeping: String {
    "FROM pg_stat_activity s WHERE s.wait_event = 'PgSleep' AND s.query LIKE '%\(mark)%'"
  }

  var isDone: Bool { run.isDone }

  /// Waits until another session is blocked by its locks.
  func awaitWaiting() throws {
    let waiting =
      "SELECT count(*) FROM pg_stat_activity a"
      + " WHERE pg_blocking_pids(a.pid) && ARRAY(SELECT s.pid \(sleeping))"
    while try !isDone && server.execute(waiting) == "0\n" { usleep(10_000) }
  }

  /// Ends it, without effect.
  func end() throws {
    try server.execute("SELECT pg_terminate_backend(s.pid) \(sleeping)")
    _ = try? run.value()
  }
}
