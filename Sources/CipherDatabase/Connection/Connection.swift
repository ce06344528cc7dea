import CSQLCipher
import Glibc
import Synchronization

/// One connection to one encrypted file.
///
/// Not Sendable: one user at a time has it.
package final class Connection {
  let database: OpaquePointer
  /// The file, open from before SQLite opens it until after SQLite has closed it.
  package let file: DatabaseFile
  let salt: [UInt8]
  private var statements: [String: Statement] = [:]
  @exclusivity(unchecked) private var numbered: [Int: Statement] = [:]
  private static let mostNumbered = 1024
  /// Those that are open.
  private var blobs: [ObjectIdentifier: Blob] = [:]
  @exclusivity(unchecked) var depth = 0
  /// Set by the first sign of damage; this connection then writes no more.
  var isPoisoned = false
  @exclusivity(unchecked) var readCheck = ReadCheck()
  /// Statements begun since the connection was opened.
  ///
  /// Unlike all else, any thread may ask.
  package var executionCount: Int { executions.load(ordering: .relaxed) }
  /// Statements prepared since the connection was opened.
  ///
  /// Any thread may ask.
  package var preparedCount: Int { preparations.load(ordering: .relaxed) }
  private let executions = Atomic(0)
  private let preparations = Atomic(0)
  let arrays = IntegerArrayRegistry()
  /// Nil where the connection has no observer.
  let trace: StatementTrace?
  /// What `PRAGMA cipher_version` answers.
  package private(set) var cipherVersion = ""

  /// Opens a file, or makes one, and proves that key, format and library are right before anything
  /// else happens.
  package convenience init(
    path: String, key: CipherKeySpec, options: ConnectionOptions
  ) throws(CipherError) {
    try Self.checkLibrary()
    if options.createIfMissing { try File.create(path) }
    do throws(CipherError) {
      let file = try DatabaseFile(path, waiting: options.busyTimeoutMilliseconds)
      defer { file.release() }
      try self.init(file: file, key: key, options: options)
    } catch {
      if options.createIfMissing {
        // What lies beside a new file without being ours is left alone.
        if error.code == .foreignJournal { unlink(path) } else { File.removeDatabase(path) }
      }
      throw error
    }
  }

  /// Opens a file that the caller holds, and takes a hold of its own.
  package init(file: DatabaseFile, key: CipherKeySpec, options: ConnectionOptions) throws(CipherError) {
    try Self.checkLibrary()
    salt = key.salt
    let checks = FileChecks(file: file)
    if options.createIfMissing { try checks.checkNew() } else { try checks.checkExisting() }
    if options.refusesOtherNames, options.access == .readWrite, options.journal == .writeAhead {
      try checks.checkNames()
    }
    self.file = file.another()
    trace = StatementTrace(
      options.observer, label: options.label ?? String(file.path.split(separator: "/").last ?? ""),
      busyTimeout: options.busyTimeoutMilliseconds)
    do throws(CipherError) {
      database = try Self.open(file.path, options.access)
    } catch {
      self.file.release()
      throw error
    }
    do throws(CipherError) {
      try configure(key, options)
      if options.createIfMissing { try checks.checkCreated(salt: key.salt) }
      WriteAheadLogOwner(file: file).note()
    } catch {
      close()
      throw error
    }
  }

  private static func open(
    _ path: String, _ access: ConnectionOptions.Access
  ) throws(CipherError) -> OpaquePointer {
    var handle: OpaquePointer?
    let flags = (access == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX
    guard let files = TemporaryFileSystem.name else {
      throw CipherError(.cannotOpen, "SQLite's file system cannot be reached")
    }
    let result =
      access == .immutable
      ? sqlite3_open_v2(immutable(path), &handle, flags | SQLITE_OPEN_URI, files)
      : sqlite3_open_v2(path, &handle, flags, files)
    guard result == SQLITE_OK, let handle else {
      let error = CipherError(handle, result).onDisk(of: path)
      sqlite3_close_v2(handle)
      throw error
    }
    sqlite3_extended_result_codes(handle, 1)
    return handle
  }

  /// The URI that tells SQLite that a file is on read-only media, so that it needs neither locks
  /// nor a log.
  static func immutable(_ path: String) -> String {
    let hex = Array("0123456789ABCDEF")
    let escaped = path.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "/"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"):
        String(UnicodeScalar(byte))
      default: "%\(hex[Int(byte >> 4)])\(hex[Int(byte & 15)])"
      }
    }
    return "file:\(escaped.joined())?immutable=1"
  }

  deinit { close() }

  /// - Throws: `libraryIsNotSQLCipher` when the SQLite that answers in this process has no codec:
  ///   it would take a key and write clear text.
  package static func checkLibrary() throws(CipherError) {
    guard sqlite3_compileoption_used("HAS_CODEC") == 1 else {
      throw CipherError(
        .libraryIsNotSQLCipher, "the SQLite library in this process is not SQLCipher; nothing was written")
    }
  }

  /// The order matters: compatibility resets the page size, and the probe must come before anything
  /// that writes.
  private func configure(_ key: CipherKeySpec, _ options: ConnectionOptions) throws(CipherError) {
    disableUnused()
    let keyed = key.withText { sqlite3_key_v2(database, "main", $0.baseAddress, Int32($0.count)) }
    guard keyed == SQLITE_OK else { throw CipherError(database, keyed) }
    try execute("PRAGMA cipher_log_level = NONE")
    guard options.format.isAvailable else {
      throw CipherError(.formatUnavailable, "this libsqlcipher knows no files of SQLCipher 4")
    }
    for setting in options.format.settings("main") { try execute(setting) }
    if let trace {
      trace.countWaits(of: database)
    } else {
      sqlite3_busy_timeout(database, Int32(clamping: options.busyTimeoutMilliseconds))
    }
    try execute("SELECT count(*) FROM sqlite_master")
    try checkInPlace()
    guard let version = try text("PRAGMA cipher_version"), !version.isEmpty else {
      throw CipherError(
        .libraryIsNotSQLCipher, "the library does not answer as SQLCipher; nothing was written")
    }
    cipherVersion = version
    try execute("PRAGMA temp_store = MEMORY")
    try execute("PRAGMA cache_size = -\(max(options.pageCacheBytes, 1 << 16) / 1024)")
    if options.exclusiveLocking { try execute("PRAGMA locking_mode = EXCLUSIVE") }
    if options.access == .readWrite {
      try setJournal(options.journal, waiting: options.busyTimeoutMilliseconds)
      try execute("PRAGMA synchronous = \(options.synchronous.rawValue)")
      // Whether libraries are built so or not.
      try execute("PRAGMA secure_delete = ON")
    }
    if options.createIfMissing {
      // The first write: now the salt stands in the file.
      try execute("PRAGMA user_version = 1")
      try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    readCheck.prepare(database)
    try registerFunctions(options)
  }

  private func registerFunctions(_ options: ConnectionOptions) throws(CipherError) {
    try IntegerArrayModule.register(on: self)
    for function in options.functions { try function.register(on: self) }
    for function in options.aggregates { try function.register(on: self) }
    for collation in options.collations { try collation.register(on: self) }
  }

  /// Disables features of SQL that the library's statements do not need and that a hostile file
  /// could use.
  ///
  /// A version of SQLite that does not know a switch lacks the feature, or cannot switch it off.
  private func disableUnused() {
    let enableFTS3Tokenizer: Int32 = 1004
    let enableLoadExtension: Int32 = 1005
    let writableSchema: Int32 = 1011
    let doubleQuotedStringsInStatements: Int32 = 1013
    let doubleQuotedStringsInSchema: Int32 = 1014
    for option in [
      enableFTS3Tokenizer, enableLoadExtension, writableSchema, doubleQuotedStringsInStatements,
      doubleQuotedStringsInSchema,
    ] { _ = csqlcipher_config(database, option, 0) }
  }

  private func setJournal(
    _ journal: ConnectionOptions.Journal, waiting milliseconds: Int
  ) throws(CipherError) {
    let mode =
      switch journal {
      case .writeAhead: "wal"
      case .rollback: "delete"
      case .asIs: ""
      }
    if mode.isEmpty { return }
    let deadline = Deadline(milliseconds: milliseconds)
    // SQLite does not wait for others before it changes the mode.
    while try text("PRAGMA journal_mode = \(mode)") != mode {
      guard deadline.pause() else {
        throw CipherError(
          .busy, "the journal mode could not be set: another process holds the store in another mode")
      }
    }
  }

  /// Programs other than ours may put another file in the place of one that is open; what was then
  /// saved into the old one would be lost.
  ///
  /// One system call.
  func checkInPlace() throws(CipherError) {
    if !file.isInPlace {
      trace?.observer?.fileReplaced()
      throw CipherError(.fileReplaced, "the file at \(file.path) was replaced or removed while it was open")
    }
  }

  /// Finalizes every statement and closes.
  ///
  /// Nothing of this connection may be used after.
  package func close() {
    closeStatements()
    if isClosed { return }
    isClosed = true
    if !file.isInPlace { file.refuseCheckpoints() }
    let result = sqlite3_close(database)
    // SQLite keeps the file open as long as a statement exists, and the lock on the file lasts as
    // long.
    assert(result == SQLITE_OK, "a statement outlives its connection")
    if result == SQLITE_OK { file.release() } else { sqlite3_close_v2(database) }
  }

  func closeStatements() {
    for blob in blobs.values { blob.close() }
    for statement in statements.values { statement.finalize() }
    for statement in numbered.values { statement.finalize() }
    readCheck.close()
    statements = [:]
    numbered = [:]
  }

  private(set) var isClosed = false

  // MARK: Statements

  /// Prepares a statement that is not cached.
  package func prepare(_ sql: String, isCounted: Bool = true) throws(CipherError) -> Statement {
    var handle: OpaquePointer?
    let result = sqlite3_prepare_v2(database, sql, -1, &handle, nil)
    guard result == SQLITE_OK, let handle else { throw failure(result, sql) }
    if isCounted { Self.raise(preparations) }
    return Statement(handle, of: self, isCounted: isCounted)
  }

  func countExecution() { Self.raise(executions) }

  /// Not an atomic addition: one user at a time has the connection.
  private static func raise(_ count: borrowing Atomic<Int>) {
    count.store(count.load(ordering: .relaxed) + 1, ordering: .relaxed)
  }

  /// The statement of a text, prepared once for the life of the connection.
  package func cached(_ sql: String, isCounted: Bool = true) throws(CipherError) -> Statement {
    if let known = statements[sql] { return known }
    let statement = try prepare(sql, isCounted: isCounted)
    statements[sql] = statement
    return statement
  }

  /// The statement of a text, found by its number; cached until very many others were asked for
  /// since.
  package func cached(_ text: StatementText) throws(CipherError) -> Statement {
    if let known = numbered[text.number] { return known }
    let statement = try prepare(text.sql)
    if numbered.count >= Self.mostNumbered {
      // Each is finalized when its last user drops it.
      numbered = numbered.filter { $0.value.isRunning }
    }
    numbered[text.number] = statement
    return statement
  }

  /// Runs one statement or several without parameters.
  package func execute(_ sql: String) throws(CipherError) {
    countExecution()
    let result = trace.map { $0.execute(sql, on: database) } ?? sqlite3_exec(database, sql, nil, nil, nil)
    if result != SQLITE_OK { throw failure(result, sql) }
  }

  /// The first column of the first row, as text.
  package func text(_ sql: String) throws(CipherError) -> String? {
    let statement = try prepare(sql)
    return try statement.step() ? statement.text(0) : nil
  }

  func failure(_ result: Int32, _ sql: String?) -> CipherError {
    if result & 0xFF == SQLITE_CORRUPT || result & 0xFF == SQLITE_NOTADB { isPoisoned = true }
    return CipherError(database, result, sql: sql).onDisk(of: file.path)
  }

  /// A number that changes when another connection commits, and does not change when this one does.
  ///
  /// Not among the statements counted: it reads no row, and only the first page, after another
  /// connection wrote.
  package func dataVersion() throws(CipherError) -> Int64 {
    let statement = try cached("PRAGMA data_version", isCounted: false)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(0) : 0
  }

  func open(_ blob: Blob) { blobs[ObjectIdentifier(blob)] = blob }

  func forget(_ blob: Blob) { blobs[ObjectIdentifier(blob)] = nil }

  /// The most columns of a table.
  package var columnLimit: Int { Int(sqlite3_limit(database, SQLITE_LIMIT_COLUMN, -1)) }

  /// The longest row, in bytes.
  package var rowLimit: Int { Int(sqlite3_limit(database, SQLITE_LIMIT_LENGTH, -1)) }

  /// Runs work that goes over many pages once, so that they are not worth keeping: meanwhile the
  /// cache holds 2 MB at most.
  ///
  /// Not among the statements counted, since it touches no page.
  package func withSmallCache<R>(if isNeeded: Bool, _ body: () throws -> R) throws -> R {
    guard isNeeded else { return try body() }
    let usual = try cached("PRAGMA cache_size", isCounted: false)
    let size = try usual.step() ? usual.int64(0) : 0
    usual.reset()
    guard size < -2048 || size > 512 else { return try body() }
    try setCacheSize(-2048)
    defer { try? setCacheSize(size) }
    return try body()
  }

  /// Lets statements use encrypted temporary files meanwhile, so that sorting more rows than fit in the
  /// cache takes no more memory; else they sort in memory, which is faster.
  ///
  /// To be called outside a transaction. Not among the statements counted, since it touches no page.
  package func withTemporaryFiles<R>(_ body: () throws -> R) throws -> R {
    try setTemporaryStore("FILE")
    defer { try? setTemporaryStore("MEMORY") }
    return try body()
  }

  private func setTemporaryStore(_ place: String) throws(CipherError) {
    try prepare("PRAGMA temp_store = \(place)", isCounted: false).run()
  }

  private func setCacheSize(_ size: Int64) throws(CipherError) {
    let statement = try prepare("PRAGMA cache_size = \(size)", isCounted: false)
    try statement.run()
  }

  /// Rows that were changed since the connection was opened.
  package var totalChanges: Int { Int(sqlite3_total_changes(database)) }
  package var changes: Int { Int(sqlite3_changes(database)) }
  package var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(database) }
  package var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }
  /// 3 or 4; 0 where the library does not encrypt.
  package static let cipherMajorVersion = Int(libraryCipherVersion.prefix { $0.isNumber }) ?? 0
  /// What `PRAGMA cipher_version` answers, over a database in memory; empty where the library does not
  /// encrypt.
  package static let libraryCipherVersion: String = {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    var statement: OpaquePointer?
    guard sqlite3_open(":memory:", &handle) == SQLITE_OK,
      sqlite3_prepare_v2(handle, "PRAGMA cipher_version", -1, &statement, nil) == SQLITE_OK
    else { return "" }
    defer { sqlite3_finalize(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0) else {
      return ""
    }
    return String(cString: text)
  }()
}
