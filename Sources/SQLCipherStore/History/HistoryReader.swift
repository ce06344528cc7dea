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
    table = HistoryTable(connection, opened)
    properties = try HistoryProperties.read(StoreTable(connection))
  }

  static func token(_ number: Int64, _ fingerprint: Data, _ store: UUID) -> PersistentHistoryToken {
    PersistentHistoryToken([store: .init(transactionNumber: number, fingerprint: fingerprint)])
  }

  // MARK: Fetching

  func fetch(_ request: PersistentHistoryChangeRequest) throws -> PersistentHistoryResult {
    var result = PersistentHistoryResult(request.resultType)
    let filter = HistoryFilter(request, opened)
    let statement = try rows(after: request.bound)
    defer { statement.reset() }
    var seen: Set<ManagedObjectID> = []
    while try result.count < request.fetchLimit ?? .max && statement.step() {
      let author = statement.isNull(3) ? nil : statement.text(3)
      guard filter.accepts(author: author) else { continue }
      let number = statement.int64(0)
      let needsChanges = filter.looksAtChanges || request.resultType.hasChanges
      let changes = needsChanges ? try changes(statement, number, filter) : []
      if filter.looksAtChanges, changes.isEmpty { continue }
      result.count += 1
      switch request.resultType {
      case .statusOnly, .count: continue
      case .changesOnly: result.changes += changes
      case .objectIDs:
        result.objectIDs += changes.map(\.changedObjectID).filter { seen.insert($0).inserted }
      case .transactionsOnly: result.transactions.append(transaction(statement, author, nil))
      case .transactionsAndChanges: result.transactions.append(transaction(statement, author, changes))
      }
    }
    return result
  }

  private func rows(after bound: PersistentHistoryChangeRequest.Bound) throws -> Statement {
    let condition: String
    switch bound {
    case .date: condition = "_time > ?1"
    case .token, .transaction: condition = "_number > ?1"
    }
    var number: Int64 = 0
    if case .token(.some(let token)) = bound { number = try check(token) }
    if case .transaction(let given) = bound { number = given }
    let statement = try connection.cached(
      "SELECT _number, _fingerprint, _time, _author, _context, _program, _process, _properties, _first, _changes"
        + " FROM _transaction WHERE \(condition) AND _changes NOT NULL ORDER BY _number")
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
    let version = Int(truncatingIfNeeded: row.int64(7))
    let names = properties.versions.indices.contains(version) ? properties.versions[version] : [:]
    var reader = HistoryChangesReader(row.bytes(9), path: path)
    try reader.each { group, run, values in
      defer { next += Int64(run.count) }
      // What a later version of the model has not is left out.
      guard let index = opened.schema.entityIndex(number: group.entity) else { return }
      let storeEntity = opened.storeEntities[index]
      guard filter.accepts(storeEntity.entity) else { return }
      let updated = group.kind == .update ? updated(group, names, storeEntity.entity) : nil
      for (place, reference) in run.enumerated() where filter.accepts(reference) {
        result.append(
          PersistentHistoryChange(
            changeID: next + Int64(place), transactionNumber: transaction,
            changedObjectID: ManagedObjectID(storeEntity, reference: reference),
            changeType: group.kind.changeType, updatedProperties: updated, tombstone: values))
      }
    }
    return result
  }

  private func updated(
    _ group: HistoryChanges.Group, _ names: HistoryProperties.Names, _ entity: EntityDescription
  ) -> [PropertyDescription] {
    guard let known = names[group.entity] else { return [] }
    return group.properties.elements.compactMap { index in
      index < known.count ? entity.properties.first { $0.name == known[index] } : nil
    }
  }

  // MARK: Tokens

  /// The number of a token's transaction, which is in the store.
  private func check(_ token: PersistentHistoryToken) throws -> Int64 {
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
    var error =
      isExpired && !isThere
      ? StoreError(
        .historyTokenExpired,
        "what was saved after the token is no longer in the history; read the objects again, and go on from"
          + " this error's historyToken")
      : StoreError(
        .historyTokenForeign,
        "the token is of another store, or of a copy of this one that went another way; read the objects again,"
          + " and go on from this error's historyToken")
    error.historyToken = last.map { Self.token($0.number, $0.fingerprint, opened.identifier) }
    throw error
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
    let condition: String
    var bound: Int64 = 0
    switch request.bound {
    case .token(let token):
      bound = try token.map(check) ?? table.last()?.number ?? 0
      condition = "_number <= ?1"
    case .transaction(let number):
      bound = number
      condition = "_number < ?1"
    case .date: condition = "_time < ?1"
    }
    let going = try connection.cached(
      "SELECT max(_number), count(*) FROM _transaction WHERE \(condition) AND _changes NOT NULL")
    if case .date(let date) = request.bound {
      going.bind(1, date.timeIntervalSinceReferenceDate)
    } else {
      going.bind(1, bound)
    }
    _ = try going.step()
    let last = going.int64(0)
    result.count = Int(going.int64(1))
    going.reset()
    if result.count == 0 { return result }
    try run("DELETE FROM _transaction WHERE _number < ?1", last)
    // It tells tokens from those of copies.
    try run("UPDATE _transaction SET _changes = NULL WHERE _number = ?1", last)
    return result
  }

  private func run(_ sql: String, _ number: Int64) throws {
    let statement = try connection.cached(sql)
    statement.bind(1, number)
    try statement.run()
  }
}
