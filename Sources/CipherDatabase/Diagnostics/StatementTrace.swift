import CSQLCipher
import Glibc

/// Measures the statements of a connection with an observer.
///
/// A hook of SQLite (`sqlite3_trace_v2`) is not used: it makes SQLCipher 3.4.1 crash in
/// `sqlcipher_export`, and its times there have a resolution of one millisecond.
final class StatementTrace {
  /// One run of a statement, while it lasts.
  struct Run {
    var rows = 0
    var nanoseconds: UInt64 = 0
    var bindings: [String] = []
  }

  let observer: ConnectionObserver?
  private let label: String
  /// In this run.
  private var waitedMilliseconds = 0
  private let busyTimeout: Int

  /// - Returns: Nil when the connection has no observer: its statements are not measured then.
  init?(_ observer: ConnectionObserver?, label: @autoclosure () -> String, busyTimeout: Int) {
    if observer == nil, SQLDebug.level == 0 { return nil }
    self.observer = observer
    self.label = label()
    self.busyTimeout = busyTimeout
  }

  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  func begin(_ handle: OpaquePointer) -> Run {
    waitedMilliseconds = 0
    guard SQLDebug.level >= 3, sqlite3_bind_parameter_count(handle) > 0,
      let sql = sqlite3_sql(handle), let expanded = sqlite3_expanded_sql(handle)
    else { return Run() }
    defer { sqlite3_free(expanded) }
    return Run(
      bindings: SQLRedaction.bindings(String(cString: sql), expanded: String(cString: expanded)))
  }

  func end(_ run: Run, _ sql: @autoclosure () -> String) {
    let isSlow = observer.map { run.nanoseconds >= UInt64(max($0.slowMilliseconds, 0)) * 1_000_000 }
    guard SQLDebug.level > 0 || isSlow == true || waitedMilliseconds > 0 else { return }
    let statement = ExecutedStatement(
      sql: SQLRedaction.redacted(sql()), rows: run.rows,
      milliseconds: Double(run.nanoseconds) / 1_000_000, waitedMilliseconds: waitedMilliseconds)
    if SQLDebug.level > 0 { SQLDebug.print(label, statement, run.bindings) }
    if isSlow == true || waitedMilliseconds > 0 { observer?.executed(statement) }
  }

  /// Runs statements without parameters, counting their rows.
  func execute(_ sql: String, on database: OpaquePointer) -> Int32 {
    waitedMilliseconds = 0
    var run = Run()
    let start = Self.now
    let result = withUnsafeMutablePointer(to: &run.rows) { rows in
      sqlite3_exec(
        database, sql,
        { rows, _, _, _ in
          rows?.assumingMemoryBound(to: Int.self).pointee += 1
          return 0
        }, rows, nil)
    }
    run.nanoseconds = Self.now - start
    end(run, sql)
    return result
  }

  // MARK: Waits

  /// SQLite's own delays, which its busy timeout uses, in milliseconds.
  private static let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

  /// Waits for other connections as `sqlite3_busy_timeout` does, and counts how long.
  ///
  /// The trace lives as long as the connection.
  func countWaits(of database: OpaquePointer) {
    sqlite3_busy_handler(
      database,
      { context, attempt in
        guard let context else { return 0 }
        return Unmanaged<StatementTrace>.fromOpaque(context).takeUnretainedValue().wait(Int(attempt))
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func wait(_ attempt: Int) -> Int32 {
    let last = Self.delays.count - 1
    let before = Self.delays.prefix(attempt).reduce(0, +) + max(attempt - last - 1, 0) * Self.delays[last]
    let delay = min(Self.delays[min(attempt, last)], busyTimeout - before)
    if delay <= 0 { return 0 }
    usleep(UInt32(delay) * 1000)
    waitedMilliseconds += delay
    return 1
  }
}
