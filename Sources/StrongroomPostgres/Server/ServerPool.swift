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
    /// The primary that was connected to last.
    var primary: ServerIdentity?
    var isClosed = false
  }

  private final class Pinned: @unchecked Sendable {
    // @unchecked: used by the thread that is in the transaction, which a task that the thread makes in it
    // may outlive, or leave.
    let pool: ServerPool
    let connection: ServerConnection
    private let thread = pthread_self()
    private var isOver = false

    init(_ pool: ServerPool, _ connection: ServerConnection) {
      (self.pool, self.connection) = (pool, connection)
    }

    /// Whether the calling thread is in the transaction.
    var isMine: Bool { pthread_equal(thread, pthread_self()) != 0 && !isOver }

    func end() { isOver = true }
  }

  /// The transaction that this thread is in, or the one that made its task was in.
  @TaskLocal private static var pinned: Pinned?
  private static let mostIdle = 8
  /// How long a server that takes no more connections is waited for.
  private static let patience: TimeInterval = 5

  private let url: String
  private let settings: [ConnectionSetting]
  /// What the vaults have for the user; the address and libpq's own ways go before.
  private let secrets: Locked<[ServerAccount.Purpose: SecretBytes]>
  /// The server of a moment, of several that the address has.
  private let place: [ConnectionSetting]
  private let setUp: String
  /// The beginning of the transaction that reads a moment.
  private let pinning: String?
  private let watch: AnswerWatch
  /// Whether all connections read one moment, each in a transaction that does not end.
  var isPinned: Bool { pinning != nil }
  private let idle = Locked(Idle())
  /// How often something was sent and answered, over all connections.
  let roundTrips = Locked(0)

  /// - Parameters:
  ///   - url: The server's address.
  ///   - settings: What holds unless the address says otherwise.
  ///   - setUp: What each new connection executes.
  ///   - checkInterval: After how many seconds a statement without an answer is looked after.
  init(_ url: String, settings: [ConnectionSetting], setUp: String, checkInterval: TimeInterval) {
    (self.url, self.settings, self.setUp, place, pinning) = (url, settings, setUp, [], nil)
    let secrets = Locked<[ServerAccount.Purpose: SecretBytes]>([:])
    self.secrets = secrets
    let roundTrips = roundTrips
    watch = AnswerWatch(interval: checkInterval) { place in
      try ServerConnection(url, settings + Self.settings(secrets), at: place, roundTrips, .impatient)
    }
  }

  private init(momentOf pool: ServerPool, version: String) throws {
    let moment = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    let first = try pool.takeLive() ?? pool.connectOrWait()
    // A migration waits for each of them: a table that it makes anew would be empty in the moment.
    let lock = "LOCK TABLE _store IN ACCESS SHARE MODE"
    try first.execute("\(moment); \(lock)")
    let found = try first.run("SELECT pg_export_snapshot(), (\(ServerMetadata.version))")
    if found.isNull(0, 1) || found.text(0, 1) != version { throw StoreError.movedOn }
    let name = found.text(0, 0)
    (url, settings, secrets, setUp, watch) = (pool.url, pool.settings, pool.secrets, pool.setUp, pool.watch)
    (place, pinning) = (first.place, "\(moment); SET TRANSACTION SNAPSHOT '\(name)'; \(lock)")
    idle.withLock { $0.exporter = first }
  }

  /// Connections that all read what is there now.
  ///
  /// - Throws: `modelMismatch` where the store has another version of its model.
  func moment(version: String) throws -> ServerPool {
    try checkOpen()
    return try translated { try ServerPool(momentOf: self, version: version) }
  }

  func checkOpen() throws {
    if idle.withLock({ $0.isClosed }) { throw StoreError(.other, "the store is closed; load it first") }
  }

  /// Uses a connection that is in no transaction of this thread's: what is written stays whatever becomes of
  /// that.
  func apart<R>(_ body: (ServerConnection) throws -> R) throws -> R {
    try Self.outsideOfTransaction { try read(body) }
  }

  /// Runs a program's code, whose reads use connections of their own and see nothing that is not committed.
  static func outsideOfTransaction<R>(_ body: () throws -> R) rethrows -> R {
    try $pinned.withValue(nil, operation: body)
  }

  /// The connection with the transaction that this thread is in.
  private var ownConnection: ServerConnection? {
    guard let pinned = Self.pinned, pinned.pool === self, pinned.isMine else { return nil }
    return pinned.connection
  }

  /// Uses a connection: that of the transaction that this thread is in, or an idle one, or a new one.
  ///
  /// A read whose idle connection was lost, or its prepared statements, is tried again on a new one; so is
  /// one that a standby gave up, since the primary has deleted rows that it needs.
  func read<R>(_ body: (ServerConnection) throws -> R) throws -> R {
    if let own = ownConnection { return try body(own) }
    func read(_ connection: ServerConnection) throws -> R {
      try use(connection) {
        connection.plan(.asSet)
        return try body($0)
      }
    }
    return try translated {
      if let known = try take() {
        do { return try read(known) } catch let error as ServerError
          where (error.isConnectionLost || error.isTransient || error.isOfPreparedStatement) && !isPinned
        {
          idle.withLock { $0.connections = [] }
        }
      }
      return try read(try connectOrWait())
    }
  }

  /// The same for what a fetch needs; one that reports its progress can be interrupted.
  func fetch<R>(_ body: (ServerConnection) throws -> R) throws -> R {
    try read { connection in
      guard let monitor = FetchProgress.current else { return try body(connection) }
      let cancellation = StatementCancellation(connection.handle)
      return try monitor.interruptible({ cancellation.send() }) { try body(connection) }
    }
  }

  /// Uses a connection for reads that all see one moment: two statements more.
  ///
  /// - `writesTemporaries`: Whether tables may be made that are dropped at its end.
  func readMoment<R>(
    writesTemporaries: Bool = false, _ body: (ServerConnection) throws -> R
  ) throws -> R {
    try read { connection in
      if isPinned || ownConnection != nil { return try body(connection) }
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

  /// How a transaction begins.
  enum Beginning {
    /// With a statement that takes a lock, where there is one.
    case locking(String?)
    /// With all its statements, in one round trip: who waits for an answer in it throws `Unexpected`.
    case together
  }

  /// Uses a connection for a transaction, in which `read` uses the same; tried again after a deadlock, and
  /// where its prepared statements are not there.
  ///
  /// - `lock`: A statement that takes a lock, before all others.
  func write<R>(locking lock: String? = nil, _ body: (ServerConnection) throws -> R) throws -> R {
    try write(.locking(lock), planning: .asSet, body)
  }

  /// The same, where the beginning of the transaction and how the server plans its statements are given.
  func write<R>(
    _ beginning: Beginning, planning: ServerPlanning, _ body: (ServerConnection) throws -> R
  ) throws -> R {
    func writeOnce() throws -> R {
      try self.writeOnce {
        $0.plan(planning)
        return try write($0, beginning, body)
      }
    }
    return try translated {
      for _ in 0..<5 {
        do { return try writeOnce() } catch let error as ServerError
          where error.isTransient || error.isOfPreparedStatement
        {
          usleep(.random(in: 1_000...20_000))
        }
      }
      return try writeOnce()
    }
  }

  /// An idle connection that turns out to be lost before the server answered is another one's turn: nothing
  /// was begun on it that could be done twice.
  private func writeOnce<R>(_ body: (ServerConnection) throws -> R) throws -> R {
    while let known = try take() {
      do { return try use(known, body) } catch let error as ServerError
        where error.isConnectionLost && !known.isAnswered
      {
        // What ended one may have ended all.
        idle.withLock { $0.connections = [] }
      }
    }
    return try use(try connectOrWait(), body)
  }

  private func write<R>(
    _ connection: ServerConnection, _ beginning: Beginning, _ body: (ServerConnection) throws -> R
  ) throws -> R {
    func run() throws -> R {
      let pinned = Pinned(self, connection)
      defer { pinned.end() }
      return try Self.$pinned.withValue(pinned) { try body(connection) }
    }
    return switch beginning {
    case .locking(let lock): try connection.transaction(locking: lock, run)
    case .together: try connection.transactionOfOneTrip(run)
    }
  }

  /// An idle connection that the server answers on: nothing was begun on it that could be done twice.
  private func takeLive() throws -> ServerConnection? {
    while let known = try take() {
      do {
        if known.planning == .asSet {
          try known.execute("")
        } else {
          known.plan(.asSet)
          try known.flush()
        }
        return known
      } catch {
        // What ended one may have ended all.
        idle.withLock { $0.connections = [] }
      }
    }
    return nil
  }

  private func take() throws -> ServerConnection? {
    try checkOpen()
    while let known = idle.withLock({ $0.connections.popLast() }) { if !known.isEnded { return known } }
    return nil
  }

  /// Whether the vaults were asked.
  func has(_ purpose: ServerAccount.Purpose) -> Bool { secrets.withLock { $0[purpose] != nil } }

  /// Sets what the vaults have.
  func set(_ secret: SecretBytes, for purpose: ServerAccount.Purpose) {
    secrets.withLock { $0[purpose] = secret }
  }

  private static func settings(_ secrets: Locked<[ServerAccount.Purpose: SecretBytes]>) -> [ConnectionSetting]
  {
    secrets.withLock(\.self).map { purpose, secret in
      ConnectionSetting(purpose == .password ? "password" : "sslpassword", secret)
    }
  }

  /// Ends the server's processes of connections that were given up, by a new one.
  func endAbandoned() throws { if watch.abandoned.withLock({ !$0.isEmpty }) { _ = try connect() } }

  /// A new connection; where the server takes no more, one that is given back meanwhile.
  private func connectOrWait() throws -> ServerConnection {
    let end = Date(timeIntervalSinceNow: Self.patience)
    while true {
      do { return try connect() } catch let error as ServerError where error.isFull && Date() < end {
        usleep(20_000)
      }
      if let known = try takeLive() { return known }
    }
  }

  func connect() throws -> ServerConnection {
    let new = try ServerConnection(
      url, settings + Self.settings(secrets), at: place, roundTrips, watch)
    if let pinning {
      try new.execute(setUp)
      try new.execute(pinning)
      // Another server, or the same after a crash, may have a snapshot of the same name.
      try idle.withLock { try $0.exporter?.execute("") }
    } else {
      try new.identify()
      try admit(new)
      try watch.endAbandoned(new)
      try new.execute(setUp)
    }
    return new
  }

  /// Refuses a former primary: what it has, and what it would take, is lost with it.
  ///
  /// - Throws: `serverUnreachable` for a primary in whose place another was promoted before it answered here;
  ///   `fileReplaced` for a server of other rows.
  private func admit(_ new: ServerConnection) throws {
    guard let found = new.identity, let timeline = found.timeline else { return }
    try idle.withLock { idle in
      if let known = idle.primary {
        guard known.cluster == found.cluster else {
          throw StoreError(
            .fileReplaced,
            "the address leads to another server than when the store was opened; close it and open it again")
        }
        if timeline < known.timeline ?? 0 {
          throw StoreError(
            .serverUnreachable,
            "a former primary answers, in whose place another server was promoted; stop it, or make it a"
              + " standby, and try again")
        }
        // Those that are there lead to the former one.
        if timeline > known.timeline ?? 0 { idle.connections = [] }
      }
      idle.primary = found
    }
  }

  /// Rises each time another server becomes the primary, as soon as a connection to that is made.
  var timeline: Int? { idle.withLock { $0.primary?.timeline } }

  private func use<R>(_ connection: ServerConnection, _ body: (ServerConnection) throws -> R) throws -> R {
    defer {
      if connection.isUsable(inTransaction: isPinned) {
        idle.withLock { idle in
          let isFormer = connection.identity?.timeline ?? .max < idle.primary?.timeline ?? 0
          if idle.isClosed || isFormer || idle.connections.count == Self.mostIdle { return }
          idle.connections.append(connection)
        }
      }
    }
    do { return try body(connection) } catch {
      connection.planning = nil
      if (error as? ServerError)?.isOfPreparedStatement == true { connection.isDiscarded = true }
      throw error
    }
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
      if isPinned, error.isConnectionLost || error.isUnknownSnapshot {
        throw StoreError(
          .serverUnreachable, "the connection that had the moment was lost; take another snapshot",
          cause: error)
      }
      throw error.storeError
    }
  }
}
