import CipherDatabase
import Foundation
import ObjectModel
import StoreContract

/// Reads and deletes transactions, in a transaction of its connection.
struct HistoryReader {
  private let connection: Connection
  private let opened: SQLCipherStore.Opened
  private let table: HistoryTable
  private let reading: HistoryRow.Reading

  init(_ connection: Connection, _ opened: SQLCipherStore.Opened, _ path: String) throws {
    self.connection = connection
    self.opened = opened
    table = HistoryTable(connection, opened.schema, opened.historyNames)
    reading = HistoryRow.Reading(
      store: opened.identifier, entities: opened.storeEntities,
      properties: try HistoryProperties.read(StoreTable(connection)), place: "the store at \(path)"
    ) { number in opened.schema.entityIndex(number: number).map { opened.storeEntities[$0] } }
  }

  static func token(_ number: Int64, _ fingerprint: Data, _ store: UUID) -> PersistentHistoryToken {
    PersistentHistoryToken([store: .init(transactionNumber: number, fingerprint: fingerprint)])
  }

  // MARK: Fetching

  func fetch(_ request: PersistentHistoryChangeRequest) throws -> PersistentHistoryResult {
    var result = PersistentHistoryResult(request.resultType)
    let filter = try HistoryFilter(request, store: opened.identifier, opened.schema.model)
    let statement = try rows(after: request.bound)
    defer { statement.reset() }
    while try result.count < request.fetchLimit ?? .max && statement.step() {
      if let found = try reading.transaction(row(statement), filter) { result.append(found) }
    }
    return result
  }

  private func rows(after bound: PersistentHistoryChangeRequest.Bound) throws -> Statement {
    let condition: String
    switch bound {
    case .date: condition = "_time > ?1"
    case .token, .transaction, .consumer, .transactions: condition = "_number > ?1"
    }
    var number: Int64 = 0
    if case .token(.some(let token)) = bound { number = try check(token) }
    if case .transaction(let given) = bound { number = given }
    if case .consumer(let name) = bound { number = try position(of: name) }
    let statement = try connection.cached(
      "SELECT _number, _fingerprint, _time, _author, _context, _program, _process, _properties, _first,"
        + " _count, _changes, _values FROM _transaction WHERE \(condition) AND length(_changes) > 0"
        + " ORDER BY _number")
    if case .date(let date) = bound {
      statement.bind(1, date.timeIntervalSinceReferenceDate)
    } else {
      statement.bind(1, number)
    }
    return statement
  }

  private func row(_ row: Statement) -> HistoryRow {
    HistoryRow(
      number: row.int64(0), fingerprint: Data(row.bytes(1)), time: row.double(2),
      author: row.isNull(3) ? nil : row.text(3), context: row.isNull(4) ? nil : row.text(4),
      program: row.text(5), process: row.int64(6), properties: row.int64(7), first: row.int64(8),
      count: row.int64(9), changes: row.bytes(10), values: row.bytes(11))
  }

  // MARK: Tokens

  /// The number of a token's transaction, which is in the store.
  func check(_ token: PersistentHistoryToken) throws -> Int64 {
    let position = token.position(in: opened.identifier)
    let statement = try connection.cached("SELECT _fingerprint FROM _transaction WHERE _number = ?1")
    statement.bind(1, position?.transactionNumber ?? 0)
    defer { statement.reset() }
    if let position, try statement.step(), Data(statement.bytes(0)) == position.fingerprint {
      return position.transactionNumber
    }
    let last = try table.last()
    let isExpired = position.map { $0.transactionNumber < last?.number ?? 0 } ?? false
    let isThere = try isExpired && hasRow(position?.transactionNumber ?? 0)
    throw try refusal(isExpired: isExpired && !isThere)
  }

  private func refusal(isExpired: Bool) throws -> StoreError {
    .unfollowed(
      isExpired: isExpired,
      current: try table.last().map { Self.token($0.number, Data($0.fingerprint), opened.identifier) })
  }

  private func hasRow(_ number: Int64) throws -> Bool {
    let statement = try connection.cached("SELECT 1 FROM _transaction WHERE _number = ?1")
    statement.bind(1, number)
    defer { statement.reset() }
    return try statement.step()
  }

  // MARK: Deleting

  func delete(_ request: PersistentHistoryChangeRequest) throws -> PersistentHistoryResult {
    var result = PersistentHistoryResult(request.resultType)
    let purge = HistoryPurge(connection)
    let outcome: HistoryPurgeOutcome
    switch request.bound {
    case .token(let token): outcome = try purge.delete(through: token.map(check) ?? table.last()?.number ?? 0)
    case .transaction(let number):
      // No consumer limits a deletion of what is not there yet.
      outcome = try purge.delete(through: min(max(number, 0) - 1, table.last()?.number ?? 0))
    case .consumer(let name): outcome = try purge.delete(through: position(of: name))
    case .date(let date): outcome = try purge.delete(through: last(before: date))
    case .transactions(let numbers): outcome = try purge.empty(numbers)
    }
    result.count = outcome.count
    result.limitingConsumer = outcome.limitingConsumer
    return result
  }

  private func last(before date: Date) throws -> Int64 {
    let statement = try connection.cached("SELECT max(_number) FROM _transaction WHERE _time < ?1")
    statement.bind(1, date.timeIntervalSinceReferenceDate)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(0) : 0
  }

  /// - Throws: `notFound` for a consumer that is not registered; `historyTokenExpired` for one whose unread
  ///   transactions were deleted.
  private func position(of name: String) throws -> Int64 {
    guard let consumer = try HistoryConsumers(connection).consumer(named: name) else {
      throw StoreError.missingConsumer(name)
    }
    let statement = try connection.cached(
      "SELECT _changes IS NULL FROM _transaction WHERE _number > ?1 ORDER BY _number LIMIT 1")
    statement.bind(1, consumer.transactionNumber)
    defer { statement.reset() }
    guard try statement.step(), statement.int64(0) != 0 else { return consumer.transactionNumber }
    throw try refusal(isExpired: true)
  }
}
