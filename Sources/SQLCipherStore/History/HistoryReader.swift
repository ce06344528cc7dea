import CipherDatabase
import Foundation
import ObjectModel
import StoreContract

/// Reads and deletes transactions, in a transaction of its connection.
struct HistoryReader {
  private let connection: Connection
  private let opened: SQLCipherStore.Opened
  private let path: String
  private let table: HistoryTable
  private let properties: HistoryProperties

  init(_ connection: Connection, _ opened: SQLCipherStore.Opened, _ path: String) throws {
    self.connection = connection
    self.opened = opened
    self.path = path
    table = HistoryTable(connection, opened.schema, opened.historyNames)
    properties = try HistoryProperties.read(StoreTable(connection))
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
      let author = statement.isNull(3) ? nil : statement.text(3)
      guard filter.accepts(author: author) else { continue }
      let changes = filter.needsChanges ? try changes(statement, statement.int64(0), filter) : nil
      if let found = try filter.accepted(transaction(statement, author, changes)) { result.append(found) }
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

  private func transaction(
    _ row: Statement, _ author: String?, _ changes: [PersistentHistoryChange]?
  ) -> PersistentHistoryTransaction {
    PersistentHistoryTransaction(
      transactionNumber: row.int64(0), timestamp: Date(timeIntervalSinceReferenceDate: row.double(2)),
      storeIdentifier: opened.identifier, author: author, contextName: row.isNull(4) ? nil : row.text(4),
      processName: row.text(5), processIdentifier: Int32(truncatingIfNeeded: row.int64(6)),
      token: Self.token(row.int64(0), Data(row.bytes(1)), opened.identifier), changes: changes)
  }

  private func changes(
    _ row: Statement, _ transaction: Int64, _ filter: HistoryFilter
  ) throws -> [PersistentHistoryChange] {
    var result: [PersistentHistoryChange] = []
    var next = row.int64(8)
    let (names, written) = (properties.names(row.int64(7)), properties.writtenNames(row.int64(7)))
    let recorded = try HistoryValues.decoded(row.bytes(11), path: path)
    var reader = HistoryChangesReader(row.bytes(10), count: row.int64(9), path: path)
    try reader.each { group, run, values in
      defer { next &+= Int64(run.count) }
      // What a later version of the model has not is left out.
      guard let index = opened.schema.entityIndex(number: group.entity) else { return }
      let storeEntity = opened.storeEntities[index]
      guard filter.accepts(storeEntity.entity) else { return }
      let known = HistoryPropertyNames(
        names[group.entity] ?? [], writtenAs: written?[group.entity], storeEntity.entity)
      let updated = group.kind == .update ? group.properties.elements.compactMap(known.property) : nil
      for (place, reference) in run.enumerated() where filter.accepts(reference) {
        let record = recorded[.init(entity: group.entity, reference: reference)]
        result.append(
          PersistentHistoryChange(
            changeID: next &+ Int64(place), transactionNumber: transaction,
            changedObjectID: ManagedObjectID(storeEntity, reference: reference),
            changeType: group.kind.changeType, updatedProperties: updated,
            tombstone: values.map(known.tombstone),
            oldValues: group.kind == .insert ? nil : record?.old.map { known.values($0, opened) },
            newValues: group.kind.isDeletion ? nil : record?.new.map { known.values($0, opened) }))
      }
    }
    return result
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
    var error =
      isExpired
      ? StoreError(
        .historyTokenExpired,
        "what was saved since is no longer all in the history; read the objects again, and go on from"
          + " this error's historyToken")
      : StoreError(
        .historyTokenForeign,
        "the token is of another store, or of a copy of this one that went another way; read the objects"
          + " again, and go on from this error's historyToken")
    error.historyToken = try table.last().map {
      Self.token($0.number, Data($0.fingerprint), opened.identifier)
    }
    return error
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
    let outcome: HistoryPurge.Outcome
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
      throw HistoryConsumers.missing(name)
    }
    let statement = try connection.cached(
      "SELECT _changes IS NULL FROM _transaction WHERE _number > ?1 ORDER BY _number LIMIT 1")
    statement.bind(1, consumer.transactionNumber)
    defer { statement.reset() }
    guard try statement.step(), statement.int64(0) != 0 else { return consumer.transactionNumber }
    throw try refusal(isExpired: true)
  }
}
