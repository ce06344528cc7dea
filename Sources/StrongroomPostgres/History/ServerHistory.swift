import Foundation
import Glibc
import ObjectModel
import StoreContract

/// The tables of the history: a row for each transaction, which have numbers without gaps, in the order of
/// the commits.
///
/// The row of `_history` gives them, so saves wait for each other from there to the end of the commit.
struct ServerHistory {
  static let creation = [
    "CREATE TABLE _history (last bigint NOT NULL, change bigint NOT NULL, total bigint NOT NULL)",
    "INSERT INTO _history VALUES (0, 0, 0)",
    "CREATE TABLE _transaction (number bigint PRIMARY KEY, fingerprint bytea NOT NULL,"
      + " time double precision NOT NULL, author text, context text, program text NOT NULL,"
      + " process bigint NOT NULL, properties bigint NOT NULL, first bigint NOT NULL, count bigint NOT NULL,"
      + " total bigint NOT NULL, changes bytea, \"values\" bytea NOT NULL)",
    "CREATE TABLE _consumer (name text COLLATE \"C\" PRIMARY KEY, number bigint NOT NULL,"
      + " span double precision NOT NULL, seen double precision NOT NULL)",
  ]
  static let tables: Set<String> = ["_history", "_transaction", "_consumer"]
  /// The server's clock, in seconds since 2001: one for all programs.
  static let now =
    "extract(epoch FROM clock_timestamp())::double precision"
    + " - \(Int(Date.timeIntervalBetween1970AndReferenceDate))::double precision"

  private static let appended =
    "WITH head AS (UPDATE _history SET last = last + 1, change = change + $1, total = total + $2"
    + " RETURNING last, change, total), row AS (INSERT INTO _transaction SELECT last, $3::bytea, \(now),"
    + " $4::text, $5::text, $6::text, $7::bigint, $8::bigint, change - $1 + 1, $1, total, $9::bytea,"
    + " $10::bytea FROM head RETURNING number)"
  private static let seen = "(SELECT fingerprint FROM _transaction WHERE number = $11::bigint)"
  private static let appending = "\(appended) SELECT number, \(seen) FROM row"
  /// Ends the transaction where the answers would be others than expected; where its record says already
  /// that it was not done: who sent it has given it up; and where the store has moved on.
  private static let appendingExpected =
    "\(appended) SELECT coalesce(number, 0) / (coalesce(number > $11, false)"
    + " AND coalesce(\(seen) = $12::bytea, true) AND NOT EXISTS"
    + " (\(CommitRecord.ofTransaction("$3::bytea")))"
    + " AND coalesce((\(ServerMetadata.version)) = $13, false))::int"
    + " FROM (SELECT 1) AS one LEFT JOIN row ON true"

  /// What a row takes besides its changes, about.
  private static let rowSize: Int64 = 80
  /// So seldom that looking for what is to go costs nothing a save.
  private static let transactionsBetweenPurges: Int64 = 64
  private static let program = ProcessInfo.processInfo.processName
  private static let process = Int64(getpid())

  private let connection: ServerConnection
  private let opened: PostgresStore.Opened

  init(_ connection: ServerConnection, _ opened: PostgresStore.Opened) {
    (self.connection, self.opened) = (connection, opened)
  }

  /// Appends a transaction, in the transaction that made the changes.
  ///
  /// One statement; up to seven more at every 64th transaction, which deletes what is beyond the limits.
  /// - Parameters:
  ///   - changes: What it changed.
  ///   - values: The values before and after.
  ///   - limits: How much of the history stays.
  ///   - seen: A place that the store object has seen, at which it looks whether it is there still.
  /// - Returns: The place after the transaction; nil where nothing changed.
  /// - Throws: `fileReplaced` where the history has another transaction in the place, or ended before it.
  func append(
    _ changes: HistoryChanges, _ values: HistoryValues, _ limits: PersistentHistoryLimits,
    after seen: PersistentHistoryToken.Position? = nil
  ) throws -> PersistentHistoryToken.Position? {
    if changes.isEmpty { return nil }
    let fingerprint = Self.fingerprint()
    let rows = try connection.run(Self.appending, parameters(changes, values, fingerprint, seen))
    guard rows.count == 1 else {
      throw StoreError(.fileDamaged, "the history on the server has no end; restore a copy")
    }
    let number = rows.number(0, 0)
    if let seen {
      let isOther = !rows.isNull(0, 1) && Data(rows.bytes(0, 1)) != seen.fingerprint
      if isOther || number <= seen.transactionNumber { throw StoreError.olderStore }
    }
    if Self.isPurged(after: number) { try purge(limits, after: number) }
    return .init(transactionNumber: number, fingerprint: Data(fingerprint))
  }

  /// Appends a transaction with the next statement whose answer is waited for; the server ends it where it
  /// finds anything else than is expected.
  ///
  /// - Returns: The fingerprint of the transaction.
  func append(
    expecting seen: PersistentHistoryToken.Position?, _ changes: HistoryChanges, _ values: HistoryValues,
    _ body: @escaping (PersistentHistoryToken.Position) -> Void
  ) throws -> [UInt8] {
    let fingerprint = Self.fingerprint()
    var all = try parameters(changes, values, fingerprint, seen)
    all.append(.bytes(seen.map { Array($0.fingerprint) } ?? []))
    all.append(opened.schema.version)
    // It may not throw: the commit is done when it is called.
    connection.add(Self.appendingExpected, all) { rows in
      body(.init(transactionNumber: rows.number(0, 0), fingerprint: Data(fingerprint)))
    }
    return fingerprint
  }

  /// 16 bytes by chance.
  private static func fingerprint() -> [UInt8] {
    var source = SystemRandomNumberGenerator()
    return ServerParameter.bigEndian(source.next()) + ServerParameter.bigEndian(source.next())
  }

  private func parameters(
    _ changes: HistoryChanges, _ values: HistoryValues, _ fingerprint: [UInt8],
    _ seen: PersistentHistoryToken.Position?
  ) throws -> ServerValues {
    let origin = TransactionOrigin.current
    let (bytes, recorded) = (try changes.encoded(), try values.encoded())
    let size = bytes.count + recorded.count + (origin?.author?.utf8.count ?? 0)
    var all = ServerValues(room: 256 + size)
    all.append(Int64(changes.count))
    all.append(Self.rowSize + Int64(size))
    all.append(.bytes(fingerprint))
    for text in [origin?.author, origin?.contextName, Self.program] { all.append(optional: text) }
    all.append(Self.process)
    all.append(opened.properties)
    all.append(.bytes(bytes))
    all.append(.bytes(recorded))
    all.append(seen?.transactionNumber ?? 0)
    return all
  }

  /// Whether what is beyond the limits is deleted after the transaction of a number.
  static func isPurged(after number: Int64) -> Bool { number % transactionsBetweenPurges == 0 }

  /// Deletes what is beyond the limits after the transaction of a number; up to six statements, and another
  /// at every 4,096th.
  func purge(_ limits: PersistentHistoryLimits, after number: Int64) throws {
    try ServerHistoryPurge(connection).run(limits, atMost: 4 * Self.transactionsBetweenPurges)
    if number % (64 * Self.transactionsBetweenPurges) == 0 { try CommitRecord.deleteOld(connection) }
  }

  /// Begins the history of a store whose objects are all new after that of another schema's: its tokens and
  /// consumers learn that they have to read the objects again.
  ///
  /// Two statements.
  static func begin(after former: String, _ connection: ServerConnection) throws {
    let fingerprint = fingerprint()
    try connection.run(
      "INSERT INTO _transaction SELECT last + 1, $1::bytea, \(now), NULL, NULL, ($2::text[])[1], $3::bigint,"
        + " 0, change + 1, 0, total, NULL, '' FROM \(former.quoted)._history WHERE last > 0",
      [.bytes(fingerprint), .texts([program]), .number(process)])
    try connection.execute(
      "UPDATE _history SET last = f.last + 1, change = f.change, total = f.total"
        + " FROM \(former.quoted)._history AS f WHERE f.last > 0")
  }

  /// The place after the last transaction; nil while there is none.
  ///
  /// One statement.
  func last() throws -> PersistentHistoryToken.Position? {
    let rows = try connection.run(
      "SELECT number, fingerprint FROM _transaction ORDER BY number DESC LIMIT 1")
    if rows.count == 0 { return nil }
    return .init(transactionNumber: rows.number(0, 0), fingerprint: Data(rows.bytes(0, 1)))
  }

  // MARK: Reading

  /// How many transactions are read at once.
  private static let page = 500

  func fetch(_ request: PersistentHistoryChangeRequest) throws -> PersistentHistoryResult {
    var result = PersistentHistoryResult(request.resultType)
    let filter = try HistoryFilter(request, store: opened.identifier, opened.schema.model)
    let reading = HistoryRow.Reading(
      store: opened.identifier, entities: opened.storeEntities,
      properties: try ServerMetadata(connection: connection).historyProperties(),
      place: "the store on the server"
    ) { number in opened.schema.entity(number: number).map { opened.storeEntities[$0.index] } }
    let sealed = SealedHistory(opened.sealing)
    var (start, time) = (Int64(0), -Double.infinity)
    switch request.bound {
    case .token(let token): start = try token.map(check) ?? 0
    case .transaction(let number): start = number
    case .consumer(let name): start = try position(of: name)
    case .date(let date): time = date.timeIntervalSinceReferenceDate
    case .transactions: break
    }
    while true {
      let rows = try connection.run(
        "SELECT number, fingerprint, time, author, context, program, process, properties, first, count,"
          + " changes, \"values\" FROM _transaction WHERE number > $1 AND time > $2 AND length(changes) > 0"
          + " ORDER BY number LIMIT \(Self.page)", [.number(start), .double(time)])
      for place in 0..<rows.count {
        if result.count >= request.fetchLimit ?? .max { return result }
        let row = Self.row(rows, place)
        if let found = try reading.transaction(row, filter) {
          result.append(try sealed?.opened(found) ?? found)
        }
        start = row.number
      }
      if rows.count < Self.page { return result }
    }
  }

  private static func row(_ rows: ServerRows, _ row: Int) -> HistoryRow {
    func text(_ column: Int) -> String? { rows.isNull(row, column) ? nil : rows.text(row, column) }
    return HistoryRow(
      number: rows.number(row, 0), fingerprint: Data(rows.bytes(row, 1)), time: rows.double(row, 2),
      author: text(3), context: text(4), program: rows.text(row, 5), process: rows.number(row, 6),
      properties: rows.number(row, 7), first: rows.number(row, 8), count: rows.number(row, 9),
      changes: rows.bytes(row, 10), values: rows.bytes(row, 11))
  }

  // MARK: Tokens

  /// The number of a token's transaction, which is in the store.
  func check(_ token: PersistentHistoryToken) throws -> Int64 {
    guard let position = token.position(in: opened.identifier) else { throw try refusal(isExpired: false) }
    let number = position.transactionNumber
    let rows = try connection.run(
      "SELECT last, pg_is_in_recovery(), (SELECT fingerprint FROM _transaction WHERE number = $1)"
        + " FROM _history", [.number(number)])
    guard rows.count > 0 else { throw try refusal(isExpired: false) }
    let isThere = !rows.isNull(0, 2)
    if isThere, Data(rows.bytes(0, 2)) == position.fingerprint { return number }
    // A standby gets the transaction later, and what follows it.
    if rows.boolean(0, 1), rows.number(0, 0) < number { return number }
    throw try refusal(isExpired: !isThere && number < rows.number(0, 0))
  }

  private func refusal(isExpired: Bool) throws -> StoreError {
    .unfollowed(
      isExpired: isExpired,
      current: try last().map { PersistentHistoryToken([opened.identifier: $0]) })
  }

  /// - Throws: `notFound` for a consumer that is not registered; `historyTokenExpired` for one whose unread
  ///   transactions were deleted.
  private func position(of name: String) throws -> Int64 {
    guard let consumer = try ServerHistoryConsumers(connection).consumer(named: name) else {
      throw StoreError.missingConsumer(name)
    }
    let rows = try connection.run(
      "SELECT changes IS NULL FROM _transaction WHERE number > $1 ORDER BY number LIMIT 1",
      [.number(consumer.transactionNumber)])
    if rows.count > 0, rows.boolean(0, 0) { throw try refusal(isExpired: true) }
    return consumer.transactionNumber
  }

  // MARK: Deleting

  func delete(_ request: PersistentHistoryChangeRequest) throws -> PersistentHistoryResult {
    var result = PersistentHistoryResult(request.resultType)
    let purge = ServerHistoryPurge(connection)
    let outcome: HistoryPurgeOutcome
    switch request.bound {
    case .token(let token): outcome = try purge.delete(through: try token.map(check) ?? .max)
    case .transaction(let number): outcome = try purge.delete(through: max(number, 0) - 1)
    case .consumer(let name): outcome = try purge.delete(through: position(of: name))
    case .date(let date):
      let last = try connection.run(
        "SELECT coalesce(max(number), 0) FROM _transaction WHERE time < $1",
        [.double(date.timeIntervalSinceReferenceDate)])
      outcome = try purge.delete(through: last.number(0, 0))
    case .transactions(let numbers): outcome = try purge.empty(numbers)
    }
    result.count = outcome.count
    result.limitingConsumer = outcome.limitingConsumer
    return result
  }
}

extension StoreError {
  /// An object that the program has may be another one there, under the same number.
  fileprivate static let olderStore = StoreError(
    .fileReplaced,
    "an older copy of the store took its place while it was open here; nothing was saved; close the store and"
      + " open it again")
}
