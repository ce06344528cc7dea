package import CSQLCipher

/// SQLite's description of a virtual table; named here so that inlined code may see the library's
/// declarations.
package typealias VirtualTableModule = sqlite3_module

/// A prepared statement.
///
/// Values go in and out without an allocation, except as `String`.
package final class Statement {
  @usableFromInline package let handle: OpaquePointer
  // unowned(unsafe): a connection finalizes its statements before it ends.
  @usableFromInline unowned(unsafe) let connection: Connection
  private enum Phase { case idle, running, traced }
  /// One check of this in `step()` costs nothing more where the connection has no observer.
  @exclusivity(unchecked) private var phase = Phase.idle
  var isRunning: Bool { phase != .idle }
  /// Nil where the connection has no observer.
  private let trace: StatementTrace?
  @exclusivity(unchecked) private var measured = StatementTrace.Run()
  private var isFinalized = false
  private let isCounted: Bool
  /// Whether what it reads is to be asked after: see `ReadCheck`.
  private let isChecked: Bool
  @exclusivity(unchecked) private var boundArrays: [Int64] = []

  init(_ handle: OpaquePointer, of connection: Connection, isCounted: Bool) {
    self.isCounted = isCounted
    self.handle = handle
    self.connection = connection
    isChecked = ReadCheck.concerns(handle)
    trace = isCounted ? connection.trace : nil
  }

  deinit { finalize() }

  func finalize() {
    if isFinalized { return }
    isFinalized = true
    endRun()
    sqlite3_finalize(handle)
  }

  /// Moves to the next row; false after the last.
  ///
  /// On the end and on an error the statement is reset.
  @discardableResult
  package func step() throws(CipherError) -> Bool {
    if phase != .running {
      if let trace { return try tracedStep(trace) }
      begin(.running)
    }
    let result = sqlite3_step(handle)
    if result == SQLITE_ROW { return true }
    return try end(result)
  }

  /// Like `step()`, with time and rows measured.
  private func tracedStep(_ trace: StatementTrace) throws(CipherError) -> Bool {
    if phase == .idle {
      begin(.traced)
      measured = trace.begin(handle)
    }
    let start = StatementTrace.now
    let result = sqlite3_step(handle)
    measured.nanoseconds += StatementTrace.now - start
    if result == SQLITE_ROW {
      measured.rows += 1
      return true
    }
    return try end(result)
  }

  private func begin(_ phase: Phase) {
    self.phase = phase
    if isChecked { connection.beginReadCheck() }
    if isCounted { connection.countExecution() }
  }

  private func end(_ result: Int32) throws(CipherError) -> Bool {
    if result == SQLITE_DONE {
      reset()
      if isChecked { try connection.refuseUnreadable() }
      return false
    }
    let error = connection.failure(result, sql)
    reset()
    throw error
  }

  /// Runs to the end.
  package func run() throws(CipherError) { while try step() {} }

  /// Ends the execution, wherever it is.
  ///
  /// A page that could not be read is reported by the next statement that comes to its end, and by
  /// the pool.
  package func reset() {
    // One that came to its end was reset then.
    if isRunning {
      endRun()
      sqlite3_reset(handle)
    }
    if !boundArrays.isEmpty {
      for array in boundArrays { connection.arrays.remove(array) }
      boundArrays = []
    }
  }

  private func endRun() {
    if isChecked, isRunning { connection.endReadCheck() }
    if phase == .traced { trace?.end(measured, sql) }
    phase = .idle
  }

  package func clearBindings() { sqlite3_clear_bindings(handle) }

  package var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }
  package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  // MARK: In (parameters count from 1)

  @inlinable
  package func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

  @inlinable
  package func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(handle, index, value) }

  @inlinable
  package func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

  package func bind(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bind(index, text: UnsafeRawBufferPointer($0), copy: true) }
  }

  /// Binds UTF-8.
  ///
  /// Without `copy` the bytes must stay where they are until the statement is reset or bound again.
  @inlinable
  package func bind(_ index: Int32, text: UnsafeRawBufferPointer, copy: Bool) {
    let start = text.baseAddress ?? UnsafeRawPointer(Self.nothing)
    sqlite3_bind_text64(
      handle, index, start.assumingMemoryBound(to: CChar.self), UInt64(text.count),
      copy ? Self.transient : nil,
      UInt8(SQLITE_UTF8))
  }

  /// Binds bytes; see `bind(_:text:copy:)`.
  ///
  /// No bytes are an empty blob, not NULL.
  @inlinable
  package func bind(_ index: Int32, blob: UnsafeRawBufferPointer, copy: Bool) {
    guard let start = blob.baseAddress, !blob.isEmpty else {
      sqlite3_bind_zeroblob(handle, index, 0)
      return
    }
    sqlite3_bind_blob64(handle, index, start, UInt64(blob.count), copy ? Self.transient : nil)
  }

  /// Binds a list for `_integers(?)`, until the statement is reset.
  package func bind(_ index: Int32, integers: IntegerArray) {
    let handle = connection.arrays.add(integers)
    boundArrays.append(handle)
    bind(index, handle)
  }

  // SQLITE_TRANSIENT, which C writes as a cast of -1: the library copies the bytes.
  @usableFromInline nonisolated(unsafe) static let transient = unsafeBitCast(
    -1, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)
  // One byte that is never written, for texts of no length, whose buffers have no address.
  @usableFromInline nonisolated(unsafe) static let nothing = UnsafeMutablePointer<CChar>.allocate(capacity: 1)

  // MARK: Out (columns count from 0)

  @inlinable
  package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  @inlinable
  package func isInteger(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_INTEGER }

  @inlinable
  package func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  @inlinable
  package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// The bytes of a text or blob, valid until the next step.
  @inlinable
  package func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  package func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  package var columnCount: Int { Int(sqlite3_column_count(handle)) }

  package func columnName(_ column: Int32) -> String { String(cString: sqlite3_column_name(handle, column)) }
}
