import Foundation
import Locks
import StoreContract
import StoreKeyring

/// The connections of a store: each in use by one thread, and left open for the next.
final class ServerPool: Sendable {
  private struct Idle: @unchecked Sendable {
    // @unchecked: has idle connections only, and is used under the lock.
    var connections: [ServerConnection] = []
    /// The connection whose transaction has the moment, as long as the pool is there.
    var exporter: ServerConnection?
    var isClosed = false
  }

  private struct Pinned: @unchecked Sendable {
    // @unchecked: used by the thread that is in the transaction.
    let pool: ServerPool
    let connection: ServerConnection
  }

  /// The connection with the transaction that this thread is in.
  @TaskLocal private static var pinned: Pinned?
  private static let mostIdle = 8

  private let url: String
  private let settings: [ConnectionSetting]
  /// What the vaults have for the user; the address and libpq's own ways go before.
  private let secrets: Locked<[ServerAccount.Purpose: SecretBytes]>
  private let setUp: String
  /// Whether all connections read one moment, each in a transaction that does not end.
  let isPinned: Bool
  private let idle = Locked(Idle())
  /// How often something was sent and answered, over all connections.
  let roundTrips = Locked(0)

  /// - Parameters:
  ///   - url: The server's address.
  ///   - settings: What holds unless the address says otherwise.
  ///   - setUp: What each new connection executes.
  init(_ url: String, settings: [ConnectionSetting], setUp: String) {
    (self.url, self.settings, self.setUp, isPinned) = (url, settings, setUp, false)
    secrets = Locked([:])
  }

  private init(momentOf pool: ServerPool) throws {
    let moment = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    let first = try pool.connect()
    // A migration waits for it: a table that it makes anew would be empty in the moment.
    try first.execute("\(moment); LOCK TABLE _store IN ACCESS SHARE MODE")
    let name = try first.run("SELECT pg_export_snapshot()").text(0, 0)
    (url, settings, secrets, isPinned) = (pool.url, pool.settings, pool.secrets, true)
    setUp = pool.setUp + "; \(moment); SET TRANSACTION SNAPSHOT '\(name)'"
    idle.withLock { $0.exporter = first }
  }

  /// Connections that all read what is there now.
  func moment() throws -> ServerPool {
    try checkOpen()
    return try translated { try ServerPool(momentOf: self) }
  }

  func checkOpen() throws {
    if idle.withLock({ $0.isClosed }) { throw StoreError(.other, "the store is closed; load it first") }
  }

  /// Uses a connection that is in no transaction of this thread's: what is written stays whatever becomes of
  /// that.
  func apart<R>(_ body: (ServerConnection) throws -> R) throws -> R {
    try Self.$pinned.withValue(nil) { try read(body) }
  }

  /// Uses a connection: that of the transaction that this thread is in, or an idle one, or a new one.
  ///
  /// A read whose idle connection was lost is tried again on a new one.
  func read<R>(_ body: (ServerConnection) throws -> R) throws -> R {
    if let pinned = Self.pinned, pinned.pool === self { return try body(pinned.connection) }
    return try translated {
      if let known = try take() {
        do { return try use(known, body) } catch let error as ServerError
          where error.isConnectionLost && !isPinned
        {
          idle.withLock { $0.connections = [] }
        }
      }
      return try use(try connect(), body)
    }
  }

  /// Uses a connection for reads that all see one moment: two statements more.
  ///
  /// - `writesTemporaries`: Whether tables may be made that are dropped at its end.
  func readMoment<R>(
    writesTemporaries: Bool = false, _ body: (ServerConnection) throws -> R
  ) throws -> R {
    try read { connection in
      if isPinned || Self.pinned?.pool === self { return try body(connection) }
      do {
        let access = writesTemporaries ? "WRITE" : "ONLY"
        return try connection.transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ \(access)") {
          try body(connection)
        }
      } catch let failure as CommitFailure {
        throw failure.error
      }
    }
  }

  /// Uses a connection for a transaction, in which `read` uses the same; tried again after a deadlock.
  ///
  /// - `begin`: How the transaction is begun.
  func write<R>(_ begin: String = "BEGIN", _ body: (ServerConnection) throws -> R) throws -> R {
    try translated {
      for _ in 0..<5 {
        do { return try writeOnce(begin, body) } catch let error as ServerError where error.isTransient {
          usleep(.random(in: 1_000...20_000))
        }
      }
      return try writeOnce(begin, body)
    }
  }

  private func writeOnce<R>(_ begin: String, _ body: (ServerConnection) throws -> R) throws -> R {
    try use(try takeLive() ?? connect()) { connection in
      try connection.transaction(begin) {
        try Self.$pinned.withValue(Pinned(pool: self, connection: connection)) { try body(connection) }
      }
    }
  }

  /// An idle connection that the server answers on: nothing was begun on it that could be done twice.
  private func takeLive() throws -> ServerConnection? {
    while let known = try take() {
      do {
        try known.execute("")
        return known
      } catch {}
    }
    return nil
  }

  private func take() throws -> ServerConnection? {
    try checkOpen()
    return idle.withLock { $0.connections.popLast() }
  }

  /// Whether the vaults were asked.
  func has(_ purpose: ServerAccount.Purpose) -> Bool { secrets.withLock { $0[purpose] != nil } }

  /// Sets what the vaults have.
  func set(_ secret: SecretBytes, for purpose: ServerAccount.Purpose) {
    secrets.withLock { $0[purpose] = secret }
  }

  func connect() throws -> ServerConnection {
    let known = secrets.withLock(\.self).map { purpose, secret in
      ConnectionSetting(purpose == .password ? "password" : "sslpassword", secret)
    }
    let new = try ServerConnection(url, settings + known, roundTrips)
    try new.execute(setUp)
    return new
  }

  private func use<R>(_ connection: ServerConnection, _ body: (ServerConnection) throws -> R) throws -> R {
    defer {
      if connection.isUsable(inTransaction: isPinned) {
        idle.withLock { idle in
          if !idle.isClosed, idle.connections.count < Self.mostIdle { idle.connections.append(connection) }
        }
      }
    }
    return try body(connection)
  }

  func close() {
    idle.withLock { idle in
      idle.isClosed = true
      idle.connections = []
      idle.exporter = nil
    }
  }

  private func translated<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as ServerError {
      if isPinned, error.isConnectionLost || error.isNotYet {
        throw StoreError(
          .serverUnreachable, "the connection that had the moment was lost; take another snapshot",
          cause: error)
      }
      throw error.storeError
    }
  }
}
