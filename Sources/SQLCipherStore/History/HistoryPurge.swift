import CipherDatabase
import Foundation
import StoreContract

/// Deletes the oldest transactions, never those that a consumer within its span has not read.
struct HistoryPurge {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Deletes what is beyond the limits: at most so many transactions, so that a save does not wait for long.
  ///
  /// Two statements where nothing is to go, else up to nine.
  func run(_ limits: PersistentHistoryLimits, atMost most: Int64) throws {
    if limits == .none { return }
    var end: Int64 = 0
    if let age = limits.age {
      let time = Date().timeIntervalSinceReferenceDate - age
      let first = try number(
        "SELECT _number FROM _transaction WHERE _time >= ?1 ORDER BY _number LIMIT 1", time)
      end = first > 0 ? first - 1 : .max
    }
    if let bytes = limits.byteCount {
      // From the oldest on, so that no more is read than what is to go.
      let first = try number(
        "SELECT _number FROM _transaction WHERE _total >= (SELECT _total FROM _transaction ORDER BY _number"
          + " DESC LIMIT 1) - ?1 ORDER BY _number LIMIT 1", Double(bytes))
      if first > 0 { end = max(end, first - 1) }
    }
    let start = try number("SELECT min(_number) FROM _transaction WHERE ?1 >= 0", 0)
    if end >= start { try delete(through: min(end, start + most - 1)) }
  }

  /// Deletes the transactions up to one.
  ///
  /// Up to six statements.
  @discardableResult
  func delete(through end: Int64) throws -> HistoryPurgeOutcome {
    var outcome = HistoryPurgeOutcome()
    let slowest = try HistoryConsumers(connection).all().filter(\.isWithinSpan).min {
      $0.transactionNumber < $1.transactionNumber
    }
    var end = end
    if let slowest, slowest.transactionNumber < end {
      end = slowest.transactionNumber
      outcome.limitingConsumer = slowest
    }
    let lastToGo = try connection.cached(
      "SELECT _number FROM _transaction WHERE _number <= ?1 AND _changes NOT NULL ORDER BY _number DESC"
        + " LIMIT 1")
    lastToGo.bind(1, end)
    let last = try lastToGo.step() ? lastToGo.int64(0) : 0
    lastToGo.reset()
    if last == 0 { return outcome }
    // Counted as they go, so that each row is read once; one that was emptied before is not counted.
    let deletion = "DELETE FROM _transaction WHERE _number < ?1"
    outcome.count = try run(deletion + " AND length(_changes) > 0", last)
    try run(deletion, last)
    // The last one stays, without its changes: it tells tokens from those of copies.
    let emptying = "UPDATE _transaction SET _changes = NULL, _values = NULL WHERE _number = ?1"
    outcome.count += try run(emptying + " AND length(_changes) > 0", last)
    try run(emptying, last)
    return outcome
  }

  /// Empties transactions wherever they are; those before them stay.
  ///
  /// One statement, and one for each number.
  func empty(_ numbers: [Int64]) throws -> HistoryPurgeOutcome {
    var outcome = HistoryPurgeOutcome()
    let slowest = try HistoryConsumers(connection).all().filter(\.isWithinSpan).min {
      $0.transactionNumber < $1.transactionNumber
    }
    let update = try connection.cached(
      "UPDATE _transaction SET _changes = x'', _values = NULL WHERE _number = ?1 AND length(_changes) > 0")
    for number in numbers.sorted() {
      if let slowest, slowest.transactionNumber < number {
        outcome.limitingConsumer = slowest
        break
      }
      update.bind(1, number)
      try update.run()
      outcome.count += connection.changes
    }
    return outcome
  }

  private func number(_ sql: String, _ parameter: Double) throws -> Int64 {
    let statement = try connection.cached(sql)
    statement.bind(1, parameter)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(0) : 0
  }

  /// How many rows it changed.
  @discardableResult
  private func run(_ sql: String, _ number: Int64) throws -> Int {
    let statement = try connection.cached(sql)
    statement.bind(1, number)
    try statement.run()
    return connection.changes
  }
}
