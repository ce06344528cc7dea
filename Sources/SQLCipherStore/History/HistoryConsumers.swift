import CipherDatabase
import Foundation
import StoreContract

/// The table `_consumer`: who reads the history, and up to where each has.
struct HistoryConsumers {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// One statement.
  func all() throws -> [PersistentHistoryConsumer] {
    let rows = try connection.cached("SELECT _name, _number, _span, _seen FROM _consumer ORDER BY _name")
    defer { rows.reset() }
    var result: [PersistentHistoryConsumer] = []
    while try rows.step() { result.append(consumer(rows)) }
    return result
  }

  /// One statement.
  func consumer(named name: String) throws -> PersistentHistoryConsumer? {
    let row = try connection.cached("SELECT _name, _number, _span, _seen FROM _consumer WHERE _name = ?1")
    row.bind(1, name)
    defer { row.reset() }
    return try row.step() ? consumer(row) : nil
  }

  private func consumer(_ row: Statement) -> PersistentHistoryConsumer {
    PersistentHistoryConsumer(
      name: row.text(0), transactionNumber: row.int64(1), span: row.double(2),
      lastSeen: Date(timeIntervalSinceReferenceDate: row.double(3)))
  }

  /// Adds a consumer at a place, or changes the span of one that is there, which has been seen now.
  ///
  /// Two statements.
  func register(_ name: String, span: TimeInterval, at number: Int64) throws {
    let now = Date()
    try insert(
      PersistentHistoryConsumer(name: name, transactionNumber: number, span: span, lastSeen: now))
    let update = try connection.cached("UPDATE _consumer SET _span = ?2, _seen = ?3 WHERE _name = ?1")
    update.bind(1, name)
    update.bind(2, span)
    update.bind(3, now.timeIntervalSinceReferenceDate)
    try update.run()
  }

  /// Adds a consumer, where there is none of the name.
  func insert(_ consumer: PersistentHistoryConsumer) throws {
    let insertion = try connection.cached("INSERT OR IGNORE INTO _consumer VALUES (?1, ?2, ?3, ?4)")
    insertion.bind(1, consumer.name)
    insertion.bind(2, consumer.transactionNumber)
    insertion.bind(3, consumer.span)
    insertion.bind(4, consumer.lastSeen.timeIntervalSinceReferenceDate)
    try insertion.run()
  }

  /// Moves a consumer on to a place; one that is there or beyond stays.
  ///
  /// One statement.
  /// - Throws: `notFound` where no consumer has that name.
  func advance(_ name: String, to number: Int64) throws {
    let update = try connection.cached(
      "UPDATE _consumer SET _number = max(_number, ?2), _seen = ?3 WHERE _name = ?1")
    update.bind(1, name)
    update.bind(2, number)
    update.bind(3, Date().timeIntervalSinceReferenceDate)
    try update.run()
    if connection.changes == 0 { throw StoreError.missingConsumer(name) }
  }

  /// One statement.
  func remove(_ name: String) throws -> Bool {
    let deletion = try connection.cached("DELETE FROM _consumer WHERE _name = ?1")
    deletion.bind(1, name)
    try deletion.run()
    return connection.changes > 0
  }
}
