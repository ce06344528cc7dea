import CipherDatabase
import Foundation
import StoreContract
import StoreKeyring

/// Computes the fingerprints of the history again: a row that was changed, added or taken away shows in the
/// next one.
struct HistoryCheck {
  private let connection: Connection
  private(set) var findings: [IntegrityIssue] = []

  init(_ connection: Connection) { self.connection = connection }

  /// One statement; two in a store without a history.
  mutating func run(limit: Int) throws {
    guard
      try connection.text("SELECT 1 FROM sqlite_master WHERE name = '\(HistorySchema.transactions)'") != nil
    else { return }
    let rows = try connection.prepare(
      "SELECT _number, _fingerprint, _time, _author, _context, _program, _process, _changes, _values, _first,"
        + " _count, _properties, _total FROM _transaction ORDER BY _number")
    var last: (number: Int64, fingerprint: [UInt8]?, end: Int64) = (0, nil, 1)
    while try rows.step(), findings.count < limit {
      let (number, fingerprint) = (rows.int64(0), [UInt8](rows.bytes(1)))
      // What was purged left its last transaction, without its changes.
      let isBeginning = last.fingerprint == nil && rows.isNull(7)
      if !isBeginning {
        if number != last.number &+ 1 || rows.int64(9) != last.end {
          report("transaction \(number) does not follow transaction \(last.number)")
        } else if rows.isNull(7) {
          report("transaction \(number) has no changes, and others were before it")
        } else if rows.bytes(7).count > 0, fingerprint != expected(rows, after: last.fingerprint ?? []) {
          report("transaction \(number) is not the one that was written")
        }
      }
      last = (number, fingerprint, rows.int64(9) &+ rows.int64(10))
    }
  }

  /// What a vault remembers and the history has not; nil where the history goes on from there.
  ///
  /// One or two statements.
  static func compare(_ head: HistoryHead, _ connection: Connection) throws -> IntegrityIssue? {
    let row = try connection.prepare(
      "SELECT max(_number), (SELECT _fingerprint FROM _transaction WHERE _number = ?1) FROM _transaction")
    row.bind(1, head.transactionNumber)
    _ = try row.step()
    let when = head.recorded.formatted(.iso8601)
    if row.int64(0) < head.transactionNumber {
      return IntegrityIssue(
        .olderThanVault, nil, nil,
        "the history ends at transaction \(row.int64(0)), and transaction \(head.transactionNumber) was there"
          + " on \(when): an older copy is in the file's place; look for the newer one")
    }
    // What was purged since cannot be compared.
    if row.isNull(1) || Data(row.bytes(1)) == head.fingerprint { return nil }
    return IntegrityIssue(
      .olderThanVault, nil, nil,
      "transaction \(head.transactionNumber) is another than the one that was there on \(when): a copy"
        + " that went another way is in the file's place; look for the other one")
  }

  private func expected(_ rows: Statement, after last: [UInt8]) -> [UInt8] {
    let row = HistoryTable.Row(
      number: rows.int64(0), time: rows.double(2), author: rows.isNull(3) ? nil : rows.text(3),
      context: rows.isNull(4) ? nil : rows.text(4), program: rows.text(5), process: rows.int64(6),
      properties: rows.int64(11), first: rows.int64(9), count: rows.int64(10), total: rows.int64(12))
    return HistoryTable.fingerprint(of: row, [UInt8](rows.bytes(7)), [UInt8](rows.bytes(8)), after: last)
  }

  private mutating func report(_ message: String) {
    findings.append(
      IntegrityIssue(.brokenHistory, nil, nil, message + "; restore a copy, or delete the history"))
  }
}
