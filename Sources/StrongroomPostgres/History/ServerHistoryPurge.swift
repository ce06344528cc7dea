import Foundation
import StoreContract

/// Deletes the oldest transactions, never those that a consumer within its span has not read.
struct ServerHistoryPurge {
  private let connection: ServerConnection

  init(_ connection: ServerConnection) { self.connection = connection }

  /// Deletes what is beyond the limits: at most so many transactions, so that a save does not wait for long.
  ///
  /// One statement where nothing is to go, else up to six.
  func run(_ limits: PersistentHistoryLimits, atMost most: Int64) throws {
    if limits == .none { return }
    // Only the oldest are read, however many there are.
    let rows = try connection.run(
      "SELECT max(number) FROM (SELECT number, time, total, changes FROM _transaction ORDER BY number"
        + " LIMIT $3) AS oldest WHERE changes IS NOT NULL AND (time < \(ServerHistory.now) - $1"
        + " OR total < (SELECT total FROM _history) - $2)",
      [
        .double(limits.age ?? .infinity), .number(limits.byteCount.map(Int64.init) ?? .max), .number(most),
      ])
    if !rows.isNull(0, 0) { try delete(through: rows.number(0, 0)) }
  }

  /// Deletes the transactions up to one.
  ///
  /// Up to five statements.
  @discardableResult
  func delete(through end: Int64) throws -> HistoryPurgeOutcome {
    var outcome = HistoryPurgeOutcome()
    let rows = try connection.run(
      "SELECT least($1, (SELECT last FROM _history))", [.number(end)])
    var end = rows.number(0, 0)
    if let slowest = try ServerHistoryConsumers(connection).slowest(), slowest.transactionNumber < end {
      end = slowest.transactionNumber
      outcome.limitingConsumer = slowest
    }
    // The last one stays, without its changes: it tells tokens from those of copies.
    let deleted = try connection.run(
      "WITH deleted AS (DELETE FROM _transaction WHERE number < (SELECT max(number) FROM _transaction"
        + " WHERE number <= $1 AND changes IS NOT NULL) RETURNING fingerprint, number, time, changes),"
        + " records AS (\(CommitRecord.keeping("deleted"))) SELECT length(changes) > 0 FROM deleted",
      [.number(end)])
    let emptied = try connection.run(
      "UPDATE _transaction t SET changes = NULL, \"values\" = '' FROM (SELECT number, length(changes) AS size"
        + " FROM _transaction WHERE number <= $1 AND changes IS NOT NULL ORDER BY number DESC LIMIT 1) o"
        + " WHERE t.number = o.number RETURNING o.size > 0", [.number(end)])
    for rows in [deleted, emptied] {
      for row in 0..<rows.count where !rows.isNull(row, 0) && rows.boolean(row, 0) { outcome.count += 1 }
    }
    return outcome
  }

  /// Empties transactions wherever they are; those before them stay.
  ///
  /// Two statements.
  func empty(_ numbers: [Int64]) throws -> HistoryPurgeOutcome {
    var outcome = HistoryPurgeOutcome()
    var numbers = numbers
    if let slowest = try ServerHistoryConsumers(connection).slowest(),
      numbers.contains(where: { $0 > slowest.transactionNumber })
    {
      outcome.limitingConsumer = slowest
      numbers.removeAll { $0 > slowest.transactionNumber }
    }
    outcome.count = try connection.run(
      "UPDATE _transaction SET changes = '', \"values\" = '' WHERE number = ANY ($1::bigint[])"
        + " AND length(changes) > 0 RETURNING number", [.numbers(numbers)]
    ).count
    return outcome
  }
}
