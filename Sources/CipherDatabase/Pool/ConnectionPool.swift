import Glibc
import Locks
import Synchronization

/// One writer and, while it is busy, readers beside it.
package final class ConnectionPool: Sendable {
  /// A connection on its way between threads; whoever took it out of the pool has it alone.
  private final class Slot: @unchecked Sendable {
    // @unchecked: the pool's mutex hands a slot to one thread at a time.
    let connection: Connection
    init(_ connection: Connection) { self.connection = connection }
  }

  private struct State: Sendable {
    var idle: [Slot] = []
    var all: [Slot] = []
    var isClosed = false
  }

  private let writer: Locked<Slot>
  /// The writer without its lock: for its counters, and for the thread that has it already.
  private let counted: Slot
  /// The thread that has the writer, or 0.
  private let owner = Atomic<UInt>(0)
  private let readers = Locked(State())
  /// Whether the writer is taken for a moment only, which is not worth a reader of one's own.
  private let isGlancing = Atomic<Bool>(false)
  /// The writer's data version when it was opened.
  private let firstVersion: Int64
  /// Held for as long as the pool is open, so that its connections may come and go.
  package let file: DatabaseFile
  private let key: CipherKeySpec
  private let options: ConnectionOptions
  private let maximumReaders: Int
  private let isPinned: Bool

  /// Opens a file that the caller holds, and takes a hold of its own.
  package init(file: DatabaseFile, key: CipherKeySpec, options: ConnectionOptions, maximumReaders: Int) throws
  {
    self.key = key
    self.maximumReaders = maximumReaders
    isPinned = false
    let connection = try Connection(file: file, key: key, options: options)
    self.file = file.another()
    firstVersion = try connection.dataVersion()
    counted = Slot(connection)
    writer = Locked(counted)
    var later = options
    later.createIfMissing = false
    self.options = later
  }

  private init(pinned connection: Connection, of pool: ConnectionPool) {
    file = connection.file.another()
    key = pool.key
    options = pool.options
    maximumReaders = 0
    isPinned = true
    firstVersion = 0
    counted = Slot(connection)
    writer = Locked(counted)
  }

  /// A pool of one new connection that sees the database as it is now, whatever is written, until it is closed.
  package func pinned() throws -> ConnectionPool {
    try checkOpen()
    let connection = try Connection(file: file, key: key, options: options)
    try connection.execute("BEGIN")
    // The moment is taken with the first read.
    _ = try connection.text("SELECT count(*) FROM sqlite_master")
    return ConnectionPool(pinned: connection, of: self)
  }

  /// Runs work on the writer, alone.
  /// - Throws: `misuse` when called from inside itself, or from inside a read that has the writer's connection.
  package func write<R>(_ body: (Connection) throws -> R) throws -> R {
    try refuseNesting()
    return try writer.withLock { slot in
      try takeWriter()
      defer { owner.store(0, ordering: .relaxed) }
      do { return try body(slot.connection) } catch { throw named(error) }
    }
  }

  /// Runs work on the writer's connection when it is free, since its pages are decrypted already, else on a reader.
  /// - Throws: `misuse` when called from inside a `write` or `read` of a pool without readers.
  package func read<R>(_ body: (Connection) throws -> R) throws -> R {
    // A moment has one connection, which may answer inside a row closure of its own.
    if isPinned, owner.load(ordering: .relaxed) == Self.thread { return try body(counted.connection) }
    if let result = try writer.withLockIfAvailable({ slot in
      try takeWriter()
      defer { owner.store(0, ordering: .relaxed) }
      do { return try body(slot.connection) } catch { throw named(error) }
    }) {
      return result
    }
    guard let slot = isGlancing.load(ordering: .relaxed) ? nil : try takeReader() else {
      return try write(body)
    }
    defer { readers.withLock { $0.idle.append(slot) } }
    do { return try body(slot.connection) } catch { throw named(error) }
  }

  /// 0 at first; another number once anybody else committed, in this process or another. Only the writer writes, so that what
  /// this pool writes never counts. Waits for the writer.
  /// - Throws: as `write(_:)`.
  package func foreignChangeCount() throws -> Int64 {
    try write { connection in
      isGlancing.store(true, ordering: .relaxed)
      defer { isGlancing.store(false, ordering: .relaxed) }
      return try connection.dataVersion() - firstVersion
    }
  }

  /// Says of damage which pages it is: the library tells only that there is some.
  private func named(_ error: any Error) -> any Error {
    guard var damage = error as? CipherError, damage.code == .damagedPage, damage.pages.isEmpty else {
      return error
    }
    damage.pages = (try? PageScan.damagedPages(file, key, options.format)) ?? []
    return damage
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
        "the store was called from inside a row closure of its own; collect what you need first, then call it"
      )
    }
  }

  private func takeReader() throws -> Slot? {
    let (idle, mayOpen) = try readers.withLock { state in
      if state.isClosed { throw CipherError(.misuse, "the store is closed") }
      return (state.idle.popLast(), state.all.count < maximumReaders)
    }
    if let idle { return idle }
    guard mayOpen else { return nil }
    let slot = Slot(try Connection(file: file, key: key, options: options))
    readers.withLock { $0.all.append(slot) }
    return slot
  }

  private func checkOpen() throws {
    if readers.withLock({ $0.isClosed }) { throw CipherError(.misuse, "the store is closed") }
  }

  /// Closes every connection that is not at work now.
  package func close() {
    writer.withLock { slot in
      let idle = readers.withLock { state in
        state.isClosed = true
        defer { state.idle = [] }
        return state.idle
      }
      idle.forEach { $0.connection.close() }
      slot.connection.close()
      file.release()
    }
  }

  /// Statements executed on all connections.
  package var executionCount: Int {
    readers.withLock {
      $0.all.reduce(counted.connection.executionCount) { $0 + $1.connection.executionCount }
    }
  }

  /// Statements prepared on all connections.
  package var preparedCount: Int {
    readers.withLock {
      $0.all.reduce(counted.connection.preparedCount) { $0 + $1.connection.preparedCount }
    }
  }
}
