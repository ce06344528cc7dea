import Foundation
import StoreContract

/// What a transaction leaves by which it is known later whether it was committed.
///
/// The server that is asked then may be another one, to which the number that the former gave to the
/// transaction says nothing.
enum CommitRecord {
  /// The fingerprint of its row in the history, which is behind a number.
  case inHistory([UInt8], after: Int64)
  /// The number in the connection's row of `_commit`: its last transaction without a row in the history.
  case numbered(UUID, Int64)

  private static let fingerprintLength = 16

  /// What a token has of it: the fingerprint, and the number in eight bytes, the last one first.
  var data: Data? {
    guard case .inHistory(let fingerprint, let start) = self else { return nil }
    return Data(fingerprint) + withUnsafeBytes(of: start.littleEndian) { Data($0) }
  }

  init?(_ data: Data) {
    guard data.count == Self.fingerprintLength + MemoryLayout<Int64>.size else { return nil }
    let number = data.suffix(MemoryLayout<Int64>.size).reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
    self = .inHistory(Array(data.prefix(Self.fingerprintLength)), after: number)
  }

  static let table = "_commit"
  static let creation =
    "CREATE TABLE _commit (connection uuid PRIMARY KEY, number bigint NOT NULL,"
    + " time double precision NOT NULL)"

  /// How long one is there, in seconds: a lost commit is settled before, or never.
  static let span: TimeInterval = 600
  private static let start = "\(ServerHistory.now) - \(span)::double precision"

  /// Writes that of a transaction without a row in the history.
  static func write(_ identifier: UUID, _ number: Int64, to connection: ServerConnection) {
    connection.add(
      "INSERT INTO _commit VALUES ($1::text::uuid, $2, \(ServerHistory.now))"
        + " ON CONFLICT (connection) DO UPDATE SET number = excluded.number, time = excluded.time",
      [.text(identifier.uuidString), .number(number)])
  }

  /// Copies those of rows of a history that are to go, in SQL.
  ///
  /// - `rows`: What has the fingerprints, the numbers and the times of the rows.
  static func keeping(_ rows: String) -> String {
    "INSERT INTO _commit SELECT pg_catalog.encode(fingerprint, 'hex')::uuid, number, time FROM \(rows)"
      + " WHERE time > \(start) AND length(fingerprint) = 16 ON CONFLICT DO NOTHING"
  }

  /// Deletes those that are older than their span.
  ///
  /// One statement.
  static func deleteOld(_ connection: ServerConnection) throws {
    try connection.execute("DELETE FROM _commit WHERE time < \(start)")
  }

  /// Selects the number that the record of a fingerprint has, in SQL.
  static func ofTransaction(_ fingerprint: String) -> String {
    "SELECT number FROM _commit WHERE connection = pg_catalog.encode(\(fingerprint), 'hex')::uuid"
  }

  /// What became of its transaction, where none is in progress.
  ///
  /// Up to two statements.
  /// - `isFinal`: Whether it is to be refused from now on where it is not done.
  func outcome(_ connection: ServerConnection, isFinal: Bool = true) throws -> Outcome {
    switch self {
    case .numbered(let identifier, let number):
      let rows = try connection.run(
        "SELECT number FROM _commit WHERE connection = $1::text::uuid AND number = $2",
        [.text(identifier.uuidString), .number(number)])
      return Outcome(isCommitted: rows.count > 0)
    case .inHistory(let fingerprint, let start):
      let rows = try connection.run(
        "SELECT number FROM _transaction WHERE number > $2 AND fingerprint = $1"
          + " UNION ALL \(Self.ofTransaction("$1"))", [.bytes(fingerprint), .number(start)])
      if rows.count == 0, isFinal { try Self.preclude(fingerprint, connection) }
      let number = rows.count == 0 ? 0 : rows.number(0, 0)
      if number == 0 { return Outcome(isCommitted: false) }
      return Outcome(
        isCommitted: true, place: .init(transactionNumber: number, fingerprint: Data(fingerprint)))
    }
  }

  /// Whether the history has all since the transaction began, so that what is not in it was not done.
  ///
  /// One statement.
  func isKnown(_ connection: ServerConnection) throws -> Bool {
    guard case .inHistory(_, let start) = self else { return true }
    let rows = try connection.run(
      "SELECT (SELECT last FROM _history) = $1 OR EXISTS (SELECT FROM _transaction WHERE number = $1 + 1)",
      [.number(start)])
    return rows.count > 0 && !rows.isNull(0, 0) && rows.boolean(0, 0)
  }

  /// Has a transaction fail that the server gets later: all of it, its commit too, may be on the way still.
  ///
  /// One statement.
  private static func preclude(_ fingerprint: [UInt8], _ connection: ServerConnection) throws {
    try connection.run(
      "INSERT INTO _commit VALUES (pg_catalog.encode($1, 'hex')::uuid, 0, \(ServerHistory.now))"
        + " ON CONFLICT DO NOTHING", [.bytes(fingerprint)])
  }

  struct Outcome {
    let isCommitted: Bool
    var place: PersistentHistoryToken.Position?
  }
}
