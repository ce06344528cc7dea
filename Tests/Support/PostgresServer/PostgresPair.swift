package import Foundation
import Glibc
import Locks

/// A primary and a standby, which has each commit before it is acknowledged.
package final class PostgresPair: Sendable {
  private let servers: [PostgresServer]
  private let place = Locked(0)

  package init() throws {
    let first = try PostgresServer()
    // The copy has it as well; what waits for a standby begins when there is one.
    try first.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
    servers = [first, try PostgresServer(standbyOf: first)]
    try first.execute("SELECT pg_reload_conf()")
    try awaitStandby()
  }

  /// The server that takes writes.
  package var primary: PostgresServer { servers[place.withLock { $0 }] }
  /// The server that copies them.
  package var standby: PostgresServer { servers[1 - place.withLock { $0 }] }

  /// The address of both.
  package var url: URL { get throws { try PostgresServer.url(of: servers) } }

  /// Waits until the standby has all that the primary has now, for at most a minute.
  package func awaitStandby() throws {
    var now: String?
    for _ in 0..<600 {
      // The primary may be starting.
      now = now ?? (try? primary.execute("SELECT pg_current_wal_flush_lsn()"))
      if let now {
        let answer = try? primary.execute(
          "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')"
            + " AND state = 'streaming' AND replay_lsn >= '\(now.prefix { $0 != "\n" })'")
        if answer?.hasPrefix("1") == true { return }
      }
      usleep(100_000)
    }
    throw PostgresServer.Failure(description: "the standby does not follow")
  }

  /// Ends the primary, makes the standby the primary, and the former one its standby.
  /// - Parameter isKilled: Whether the primary is killed, in place of a fast shutdown.
  /// - Throws: `PostgresServer.Failure`.
  package func switchOver(isKilled: Bool) throws {
    let former = try promoteStandby(isKilled: isKilled)
    try former.becomeStandby(of: primary)
    try awaitStandby()
  }

  /// Ends the primary, and makes the standby the primary.
  ///
  /// Commits wait until there is a standby again, unless `synchronous_standby_names` is reset.
  /// - Parameters:
  ///   - isKilled: Whether the primary is killed, in place of a fast shutdown.
  ///   - isAwaited: Whether the standby has all before.
  /// - Returns: The former primary, which is stopped.
  /// - Throws: `PostgresServer.Failure`.
  @discardableResult
  package func promoteStandby(isKilled: Bool, isAwaited: Bool = true) throws -> PostgresServer {
    if isAwaited { try awaitStandby() }
    let former = primary
    former.stop(isKilled ? SIGKILL : SIGINT)
    try standby.promote()
    place.withLock { $0 = 1 - $0 }
    return former
  }
}
