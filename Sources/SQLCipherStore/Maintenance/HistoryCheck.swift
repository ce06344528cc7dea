import CipherDatabase
import Foundation
import StoreContract

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
        + " _count FROM _transaction ORDER BY _number")
    var last: (number: Int64, fingerprint: Data, end: Int64)?
    while try rows.step(), findings.count < limit {
      let (number, fingerprint) = (rows.int64(0), Data(rows.bytes(1)))
      if let last {
        if number != last.number + 1 || rows.int64(9) != last.end {
          report("transaction \(number) does not follow transaction \(last.number)")
        } else if rows.bytes(7).count > 0, fingerprint != expected(rows, after: last.fingerprint) {
          report("transaction \(number) is not the one that was written")
        }
      }
      last = (number, fingerprint, rows.int64(9) + rows.int64(10))
    }
  }

  private func expected(_ rows: Statement, after last: Data) -> Data {
    let row = HistoryTable.Row(
      number: rows.int64(0), time: rows.double(2), author: rows.isNull(3) ? nil : rows.text(3),
      context: rows.isNull(4) ? nil : rows.text(4), program: rows.text(5), process: rows.int64(6))
    return HistoryTable.fingerprint(of: row, [UInt8](rows.bytes(7)), [UInt8](rows.bytes(8)), after: last)
  }

  private mutating func report(_ message: String) {
    findings.append(
      IntegrityIssue(.brokenHistory, nil, nil, message + "; restore a copy, or delete the history"))
  }
}
