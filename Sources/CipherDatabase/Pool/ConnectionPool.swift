import Glibc
import Locks
import Synchronization

/// One writer and, while it is busy, readers beside it.
package final class ConnectionPool: Sendable {
  /// A connection that moves between threads; only one user takes it out of the pool at a time.
  private final class Slot: @unchecked Sendable {
    // @unchecked: the pool's mutex hands a slot to one thread at a time. The writer's changes under
    // both locks only.
    var connection: Connection
    /// The data version when the connection was opened, less what others had committed by then.
    var firstVersion: Int64 = 0
    init(_ connection: Connection) { self.connection = connection }
  }

  private struct State: Sendable {
    var key: CipherKeySpec
    var idle: [Slot] = []
    var all: [Slot] = []
    /// Readers and snapshots that are at work or being opened.
    var atWork = 0
    /// Whether readers are asked to wait for the writer.
    var isSuspended = false
    var isClosed = false
    /// Statements of connections that are closed.
    var (executed, prepared) = (0, 0)

    init(_ key: CipherKeySpec) { self.key = key }

    mutating func close(_ connection: Connection) {
      executed += connection.executionCount
      prepared += connection.preparedCount
      connection.close()
    }

    func checkOpen() throws {
      if isClosed { throw CipherError(.misuse, "the store is closed") }
    }
  }

  private let writer: Locked<Slot>
  /// The writer without its lock: for its counters, and for the thread that has it already.
  private let counted: Slot
  /// The thread that has the writer, or 0.
  private let owner = Atomic<UInt>(0)
  private let readers: Locked<State>
  /// Whether the writer is in use for an instant only, which is not worth opening another reader.
  private let isGlancing = Atomic<Bool>(false)
  /// Open for as long as the pool is, so that its connections may come and go.
  package let file: DatabaseFile
  private let options: ConnectionOptions
  private let maximumReaders: Int
  /// For the pool of a snapshot: the pool that it was made from.
  private let parent: ConnectionPool?
  var isPinned: Bool { parent != nil }

  /// Opens a file that the caller holds, and takes a hold of its own.
  package init(file: DatabaseFile, key: CipherKeySpec, options: ConnectionOptions, maximumReaders: Int) throws
  {
    readers = Locked(State(key))
    self.maximumReaders = maximumReaders
    parent = nil
    let connection = try Connection(file: file, key: key, options: options)
    self.file = file.another()
    counted = Slot(connection)
    counted.firstVersion = try connection.dataVersion()
    writer = Locked(counted)
    var later = options
    later.createIfMissing = false
    later.refusesOtherNames = false
    self.options = later
    OpenPools.add(self)
  }

  private init(pinned connection: Connection, _ key: CipherKeySpec, of pool: ConnectionPool) {
    file = connection.file.another()
    readers = Locked(State(key))
    options = pool.options
    maximumReaders = 0
    parent = pool
    counted = Slot(connection)
    writer = Locked(counted)
    OpenPools.add(self)
  }

  /// A pool of one new connection that sees the database as it is now, whatever is written, until
  /// it is closed.
  ///
  /// Two statements.
  ///
  /// - `pageCacheBytes`: How many decrypted pages it keeps; nil for as many as the others.
  package func pinned(pageCacheBytes: Int? = nil) throws -> ConnectionPool {
    var options = options
    if let pageCacheBytes { options.pageCacheBytes = min(pageCacheBytes, options.pageCacheBytes) }
    while true {
      let key = try readers.withLock { state -> CipherKeySpec? in
        try state.checkOpen()
        if state.isSuspended { return nil }
        state.atWork += 1
        return state.key
      }
      guard let key else {
        // Inside a suspension this thread has the writer.
        try refuseNesting()
        writer.withLock { _ in }
        continue
      }
      defer { readers.withLock { $0.atWork -= 1 } }
      let connection = try Connection(file: file, key: key, options: options)
      try connection.execute("BEGIN")
      // The snapshot begins with the first read.
      _ = try connection.text("SELECT count(*) FROM sqlite_master")
      return ConnectionPool(pinned: connection, key, of: self)
    }
  }

  /// Runs work on the writer, alone.
  /// - Throws: `misuse` when called from inside itself, or from inside a read that has the writer's
  ///   connection.
  package func write<R>(_ body: (Connection) throws -> R) throws -> R {
    try refuseNesting()
    return try writer.withLock { slot in
      try takeWriter()
      defer { owner.store(0, ordering: .relaxed) }
      return try run(body, on: slot.connection)
    }
  }

  /// The same with `Connection.withSmallCache(if:_:)`.
  package func write<R>(withSmallCacheIf isSmall: Bool, _ body: (Connection) throws -> R) throws -> R {
    try write { connection in try connection.withSmallCache(if: isSmall) { try body(connection) } }
  }

  /// Runs work on the writer's connection when it is free, since its pages are decrypted already,
  /// else on a reader.
  /// - Throws: `misuse` when called from inside a `write` or `read` of a pool without readers.
  package func read<R>(_ body: (Connection) throws -> R) throws -> R {
    // A snapshot has one connection, which may read inside a row closure of its own.
    if isPinned, owner.load(ordering: .relaxed) == Self.thread { return try body(counted.connection) }
    if writer.lockIfAvailable() {
      defer { writer.unlock() }
      try takeWriter()
      defer { owner.store(0, ordering: .relaxed) }
      return try run(body, on: writer.locked.connection)
    }
    guard let slot = isGlancing.load(ordering: .relaxed) ? nil : try takeReader() else {
      return try write(body)
    }
    defer {
      readers.withLock { state in
        state.idle.append(slot)
        state.atWork -= 1
      }
    }
    return try run(body, on: slot.connection)
  }

  /// 0 at first; another number once anybody else committed, in this process or another.
  ///
  /// Only the writer writes, so that what this pool writes never counts. Waits for the writer.
  /// - Throws: as `write(_:)`.
  package func foreignChangeCount() throws -> Int64 {
    try write { connection in
      isGlancing.store(true, ordering: .relaxed)
      defer { isGlancing.store(false, ordering: .relaxed) }
      return try connection.dataVersion() - counted.firstVersion
    }
  }

  /// Says of damage which pages it is: the library tells only that there is some, or, when it
  /// writes, that something failed.
  private func named(_ error: any Error) -> any Error {
    guard var error = error as? CipherError, error.code == .damagedPage || error.saysNothing,
      error.pages.isEmpty
    else {
      return error
    }
    let key = readers.withLock { $0.key }
    let pages = (try? PageScan.damagedPages(file, key, options.format)) ?? []
    if error.saysNothing, !pages.isEmpty { error = error.ofDamage }
    error.pages = pages
    return error
  }

  /// After a page that could not be read, neither a result nor an error is trusted.
  private func run<R>(_ body: (Connection) throws -> R, on connection: Connection) throws -> R {
    do {
      let result = try body(connection)
      try connection.refuseUnreadable()
      return result
    } catch {
      // A page that could not be read is the reason of whatever else failed.
      do { try connection.refuseUnreadable() } catch { throw named(error) }
      throw named(error)
    }
  }

  private func takeWriter() throws {
    try checkOpen()
    owner.store(Self.thread, ordering: .relaxed)
  }

  private static var thread: UInt { UInt(pthread_self()) }

  private func refuseNesting() throws {
    // Only this thread itself can have put its own number there.
    if owner.load(ordering: .relaxed) == Self.thread {
      throw CipherError(
        .misuse,
        "the store was called from inside a closure of its own, which reads rows or writes a value; do it"
          + " after the closure"
      )
    }
  }

  /// Nil where there are readers enough, or none may read now: the writer is to be waited for.
  private func takeReader() throws -> Slot? {
    let (idle, key) = try readers.withLock { state -> (Slot?, CipherKeySpec?) in
      try state.checkOpen()
      if state.isSuspended || state.idle.isEmpty && state.all.count >= maximumReaders { return (nil, nil) }
      state.atWork += 1
      return (state.idle.popLast(), state.key)
    }
    if let idle { return idle }
    guard let key else { return nil }
    do {
      let slot = Slot(try Connection(file: file, key: key, options: options))
      readers.withLock { $0.all.append(slot) }
      return slot
    } catch {
      readers.withLock { $0.atWork -= 1 }
      throw error
    }
  }

  private func checkOpen() throws { try readers.withLock { try $0.checkOpen() } }

  // MARK: Suspending

  /// Closes every connection, runs work that needs the file exclusively, and opens the file again
  /// with the first of some keys that fits.
  ///
  /// Readers and writers wait meanwhile. Snapshots are not closed.
  ///
  /// - Parameters:
  ///   - keys: The keys to try when the file is opened again.
  ///   - milliseconds: How long to wait for readers.
  ///   - body: The work.
  /// - Throws: `busy` when readers do not end, `misuse` when called from inside a read or write,
  ///   and what the work throws; the pool is open then as before. When the file cannot be opened
  ///   again the pool is closed, and that error is thrown.
  package func suspended(
    reopeningWith keys: [CipherKeySpec], waiting milliseconds: Int, _ body: () throws -> Void
  ) throws {
    try refuseNesting()
    try writer.withLock { slot in
      try takeWriter()
      defer { owner.store(0, ordering: .relaxed) }
      readers.withLock { $0.isSuspended = true }
      defer { readers.withLock { $0.isSuspended = false } }
      let deadline = Deadline(milliseconds: milliseconds)
      while readers.withLock({ $0.atWork > 0 }) {
        guard deadline.pause() else {
          throw CipherError(.busy, "the store at \(file.path) is still being read by this program")
        }
      }
      let others = try slot.connection.dataVersion() - slot.firstVersion
      closeAll()
      let result = Result { try body() }
      try reopen(slot, keys)
      // Others may have committed before the work had the file.
      slot.firstVersion = try slot.connection.dataVersion() - others - 1
      try result.get()
    }
  }

  private func closeAll() {
    readers.withLock { state in
      for slot in state.all { state.close(slot.connection) }
      (state.all, state.idle) = ([], [])
    }
    counted.connection.close()
  }

  private func reopen(_ slot: Slot, _ keys: [CipherKeySpec]) throws {
    var failure: CipherError?
    for key in keys {
      do throws(CipherError) {
        let connection = try Connection(file: file, key: key, options: options)
        return readers.withLock { state in
          state.key = key
          state.close(slot.connection)
          slot.connection = connection
        }
      } catch {
        failure = failure ?? error
      }
    }
    readers.withLock { $0.isClosed = true }
    file.release()
    throw failure ?? CipherError(.misuse, "no key was given to open the store again")
  }

  deinit {
    OpenPools.remove(self)
    if isPinned { close() }
  }

  /// Closes every connection that is not at work now.
  package func close() {
    writer.withLock(close)
    parent?.moveLongLog()
  }

  /// Closes the pool if it is idle.
  func closeIfIdle() {
    if readers.withLockIfAvailable({ $0.atWork == 0 }) == true { writer.withLockIfAvailable(close) }
  }

  private func close(_ slot: inout Slot) {
    let idle = readers.withLock { state in
      state.isClosed = true
      defer { state.idle = [] }
      return state.idle
    }
    idle.forEach { $0.connection.close() }
    slot.connection.close()
    file.release()
  }

  /// SQLite checkpoints the log after a commit, and restarts it when it has no reader.
  ///
  /// Where each save happens beside a snapshot and the next snapshot begins at once, the log would
  /// grow without end; so it is checkpointed between the two.
  private func moveLongLog() {
    var log = stat()
    guard lstat(file.path + "-wal", &log) == 0, log.st_size > Self.longestLog else { return }
    _ = try? writer.withLockIfAvailable { slot in
      if !readers.withLock({ $0.isClosed }) { try slot.connection.checkpointPassively() }
    }
  }

  /// Four times what SQLite moves at once.
  private static let longestLog = 16 << 20

  /// Whether the file was opened for writing.
  package var isWritable: Bool { options.access == .readWrite }

  /// Statements executed on all connections.
  package var executionCount: Int {
    readers.withLock {
      $0.all.reduce($0.executed + counted.connection.executionCount) { $0 + $1.connection.executionCount }
    }
  }

  /// Statements prepared on all connections.
  package var preparedCount: Int {
    readers.withLock {
      $0.all.reduce($0.prepared + counted.connection.preparedCount) { $0 + $1.connection.preparedCount }
    }
  }
}
