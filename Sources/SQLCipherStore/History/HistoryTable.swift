import CipherDatabase
import Crypto
import Foundation
import Glibc
import ObjectModel
import StoreContract

/// The table `_transaction`: what each write changed, one row a transaction, whatever it changes.
///
/// Each row has a fingerprint that depends on the one before it, so that a token is told from one of a copy
/// that went another way. Deleting keeps the last row that was asked to go, without its changes, so that a
/// consumer that has read up to it goes on from there.
struct HistoryTable {
  static let name = "_transaction"
  static let creation =
    "CREATE TABLE \(name) (_number INTEGER PRIMARY KEY NOT NULL, _fingerprint BLOB NOT NULL,"
    + " _time REAL NOT NULL, _author TEXT, _context TEXT, _program TEXT NOT NULL, _process INTEGER NOT NULL,"
    + " _properties INTEGER NOT NULL, _first INTEGER NOT NULL, _count INTEGER NOT NULL, _changes BLOB)"

  private static let fingerprintSize = 16
  private static let program = ProcessInfo.processInfo.processName

  private let connection: Connection
  private let opened: SQLCipherStore.Opened

  init(_ connection: Connection, _ opened: SQLCipherStore.Opened) {
    self.connection = connection
    self.opened = opened
  }

  /// Makes the table in a store of an earlier version.
  static func add(to connection: Connection) throws {
    try connection.transaction(.immediate) {
      if try connection.text("SELECT 1 FROM sqlite_master WHERE name = '\(name)'") != nil { return }
      try connection.execute(creation)
    }
  }

  /// Appends a transaction, in the transaction that made the changes.
  ///
  /// Two statements.
  func append(_ changes: HistoryChanges, _ origin: TransactionOrigin?) throws {
    if changes.isEmpty { return }
    let last = try last()
    let bytes = try changes.encoded()
    let number = (last?.number ?? 0) + 1
    let time = Date().timeIntervalSinceReferenceDate
    var hash = SHA256()
    if let last { hash.update(data: last.fingerprint) }
    withUnsafeBytes(of: (number, time.bitPattern)) { hash.update(bufferPointer: $0) }
    for text in [origin?.author, origin?.contextName, Self.program] { hash.update(data: Data("\(text ?? "")\0".utf8)) }
    bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
    let insertion = try connection.cached(
      "INSERT INTO _transaction VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")
    defer { insertion.clearBindings() }
    insertion.bind(1, number)
    let fingerprint = Data(hash.finalize().prefix(Self.fingerprintSize))
    fingerprint.withUnsafeBytes { insertion.bind(2, blob: $0, copy: true) }
    insertion.bind(3, time)
    if let author = origin?.author { insertion.bind(4, author) }
    if let name = origin?.contextName { insertion.bind(5, name) }
    insertion.bind(6, Self.program)
    insertion.bind(7, Int64(getpid()))
    insertion.bind(8, try currentProperties())
    insertion.bind(9, (last?.end ?? 0) + 1)
    insertion.bind(10, Int64(changes.count))
    try bytes.withUnsafeBytes {
      insertion.bind(11, blob: $0, copy: false)
      try insertion.run()
    }
  }

  /// The number of the list of names that properties have now.
  private func currentProperties() throws -> Int64 {
    if let known = opened.historyNames.withLock({ $0 }) { return known }
    let table = StoreTable(connection)
    var properties = try HistoryProperties.read(table)
    if let number = properties.number(of: opened.schema) {
      opened.historyNames.withLock { $0 = Int64(number) }
      return Int64(number)
    }
    // Not known until it is committed.
    let number = properties.add(opened.schema)
    try properties.write(table)
    return Int64(number)
  }

  struct Last {
    let number: Int64
    let fingerprint: Data
    /// The number of its last change.
    let end: Int64
  }

  /// One statement.
  func last() throws -> Last? {
    let statement = try connection.cached(
      "SELECT _number, _fingerprint, _first + _count - 1 FROM _transaction ORDER BY _number DESC LIMIT 1")
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return Last(
      number: statement.int64(0), fingerprint: Data(statement.bytes(1)), end: statement.int64(2))
  }
}
