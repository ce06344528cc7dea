import CipherDatabase
import Cryptography
import Foundation
import Glibc
import Locks
import ObjectModel
import StoreContract

/// The table `_transaction`: what each write changed, one row a transaction, whatever it changes.
///
/// Each row has a fingerprint that depends on the one before it, so that a token differs from those of a
/// copy that went another way. Deleting leaves the last row that was to go, without its changes, so that a
/// consumer that has read up to it goes on from there.
struct HistoryTable {
  private static let fingerprintSize = 16
  /// What a row takes besides its changes, about.
  private static let rowSize: Int64 = 80
  /// So seldom that looking for what is to go costs nothing a save.
  private static let transactionsBetweenPurges: Int64 = 64
  private static let program = ProcessInfo.processInfo.processName
  /// Asked once: a store does not survive a fork.
  private static let process = Int64(getpid())
  private static let insertion = StatementText(
    "INSERT INTO _transaction VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)")
  private static let lastRow = StatementText(
    "SELECT _number, _fingerprint, _first + _count - 1, _total FROM _transaction"
      + " ORDER BY _number DESC LIMIT 1")

  private let connection: Connection
  private let schema: StoreSchema
  private let names: Locked<Int64?>

  /// - Parameters:
  ///   - connection: A connection in a transaction.
  ///   - schema: The store's schema.
  ///   - names: The number that the schema's names have, where it was read before.
  init(_ connection: Connection, _ schema: StoreSchema, _ names: Locked<Int64?>) {
    self.connection = connection
    self.schema = schema
    self.names = names
  }

  /// Makes the tables in a store of an earlier version.
  static func add(to connection: Connection) throws {
    try connection.transaction(.immediate) {
      if try connection.text("SELECT 1 FROM sqlite_master WHERE name = '\(HistorySchema.transactions)'")
        != nil
      {
        return
      }
      for statement in HistorySchema.creation { try connection.execute(statement) }
    }
  }

  /// Appends a transaction, in the transaction that made the changes.
  ///
  /// Two statements; up to nine more at every 64th transaction, which deletes what is beyond the limits.
  /// - Returns: The place after the transaction; nil where nothing changed.
  @discardableResult func append(
    _ changes: HistoryChanges, _ values: HistoryValues, _ origin: TransactionOrigin?,
    _ limits: PersistentHistoryLimits
  ) throws -> (number: Int64, fingerprint: [UInt8])? {
    if changes.isEmpty { return nil }
    let last = try last()
    let (bytes, recorded) = (try changes.encoded(), try values.encoded())
    let number = (last?.number ?? 0) + 1
    let insertion = try connection.cached(Self.insertion)
    defer { insertion.clearBindings() }
    var row = Row(
      number: number, time: Date().timeIntervalSinceReferenceDate, author: origin?.author,
      context: origin?.contextName, program: Self.program, process: Self.process,
      properties: try currentProperties(), first: (last?.end ?? 0) + 1, count: Int64(changes.count),
      total: (last?.total ?? 0) + Self.rowSize + Int64(bytes.count + recorded.count))
    row.total += Int64((row.author?.utf8.count ?? 0) + (row.context?.utf8.count ?? 0))
    insertion.bind(1, number)
    let fingerprint = Self.fingerprint(of: row, bytes, recorded, after: last?.fingerprint ?? [])
    fingerprint.withUnsafeBytes { insertion.bind(2, blob: $0, copy: true) }
    insertion.bind(3, row.time)
    if let author = row.author { insertion.bind(4, author) }
    if let name = row.context { insertion.bind(5, name) }
    insertion.bind(6, row.program)
    insertion.bind(7, row.process)
    insertion.bind(8, row.properties)
    insertion.bind(9, row.first)
    insertion.bind(10, row.count)
    insertion.bind(11, row.total)
    bytes.withUnsafeBytes { insertion.bind(12, blob: $0, copy: true) }
    try recorded.withUnsafeBytes {
      if !$0.isEmpty { insertion.bind(13, blob: $0, copy: false) }
      try insertion.run()
    }
    if number % Self.transactionsBetweenPurges == 0 {
      try HistoryPurge(connection).run(limits, atMost: 4 * Self.transactionsBetweenPurges)
    }
    return (number, fingerprint)
  }

  /// What a fingerprint depends on besides the changes.
  struct Row {
    let number: Int64
    let time: Double
    let author: String?
    let context: String?
    let program: String
    let process: Int64
    let properties: Int64
    let first: Int64
    let count: Int64
    var total: Int64
  }

  static func fingerprint(
    of row: Row, _ changes: [UInt8], _ values: [UInt8], after last: [UInt8]
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(192 + changes.count + values.count)
    bytes += last
    add(row.number, to: &bytes)
    add(Int64(bitPattern: row.time.bitPattern), to: &bytes)
    add(row.process, to: &bytes)
    add(row.properties, to: &bytes)
    add(row.first, to: &bytes)
    add(row.count, to: &bytes)
    add(row.total, to: &bytes)
    // A length before each, so that no two rows are the same bytes.
    add(row.author, to: &bytes)
    add(row.context, to: &bytes)
    add(row.program, to: &bytes)
    add(Int64(changes.count), to: &bytes)
    bytes += changes
    add(Int64(values.count), to: &bytes)
    bytes += values
    return Array(bytes.withUnsafeBytes { Digest.of($0) }.prefix(fingerprintSize))
  }

  private static func add(_ number: Int64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  private static func add(_ text: String?, to bytes: inout [UInt8]) {
    add(Int64(text?.utf8.count ?? -1), to: &bytes)
    if let text { bytes += text.utf8 }
  }

  /// The number of the list of names that properties have now.
  private func currentProperties() throws -> Int64 {
    if let known = names.withLock({ $0 }) { return known }
    let table = StoreTable(connection)
    var properties = try HistoryProperties.read(table)
    if let number = properties.number(of: schema.model, schema.number) {
      names.withLock { $0 = Int64(number) }
      return Int64(number)
    }
    // Not known until it is committed.
    let number = properties.add(schema.model, schema.number)
    try properties.write(table)
    return Int64(number)
  }

  /// Begins the history of a store whose objects are all new after that of the store that they were made of:
  /// its tokens and consumers learn that they have to read the objects again.
  static func begin(in connection: Connection, after other: Connection) throws {
    guard try other.text("SELECT 1 FROM sqlite_master WHERE name = '\(HistorySchema.transactions)'") != nil
    else { return }
    let last = try other.prepare(
      "SELECT _number + 1, _first + _count, _total FROM _transaction ORDER BY _number DESC LIMIT 1")
    guard try last.step() else { return }
    let first = try connection.prepare(
      "INSERT INTO _transaction VALUES (?1, randomblob(\(fingerprintSize)), ?2, NULL, NULL, ?3, ?4, 0, ?5, 0,"
        + " ?6, NULL, NULL)")
    first.bind(1, last.int64(0))
    first.bind(2, Date().timeIntervalSinceReferenceDate)
    first.bind(3, program)
    first.bind(4, process)
    first.bind(5, last.int64(1))
    first.bind(6, last.int64(2))
    try first.run()
    let consumers = HistoryConsumers(connection)
    for consumer in try HistoryConsumers(other).all() { try consumers.insert(consumer) }
  }

  struct Last {
    let number: Int64
    let fingerprint: [UInt8]
    /// The number of its last change.
    let end: Int64
    /// The bytes of all transactions up to it, about.
    let total: Int64
  }

  /// One statement.
  func last() throws -> Last? {
    let statement = try connection.cached(Self.lastRow)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let last = Last(
      number: statement.int64(0), fingerprint: [UInt8](statement.bytes(1)), end: statement.int64(2),
      total: statement.int64(3))
    let possible = 0..<Int64.max / 2
    guard [last.number, last.end, last.total].allSatisfy(possible.contains) else {
      throw StoreError(.fileDamaged, "the history of the store cannot be continued; restore a copy")
    }
    return last
  }
}
