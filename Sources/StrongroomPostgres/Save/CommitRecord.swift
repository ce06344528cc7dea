import Foundation

/// The row of `_commit` in which the transactions of one connection leave their number: after the connection
/// is lost it says which was the last that was committed.
///
/// The server that answers then may be another one, to which the number that the former gave to the
/// transaction says nothing; and a store without a history has nothing else that says it of every save.
struct CommitRecord {
  /// The connection's UUID.
  let connection = UUID().uuidString
  var number: Int64 = 0

  static let table = "_commit"
  static let creation =
    "CREATE TABLE _commit (connection uuid PRIMARY KEY, number bigint NOT NULL,"
    + " time double precision NOT NULL)"

  /// A part of a statement that writes the record, by the parameters of these numbers.
  static func writing(_ connection: Int, _ number: Int) -> String {
    "INSERT INTO _commit VALUES ($\(connection)::text::uuid, $\(number), \(ServerHistory.now))"
      + " ON CONFLICT (connection) DO UPDATE SET number = excluded.number, time = excluded.time"
  }

  /// Deletes the rows that are older than a day: a lost commit is settled within seconds.
  ///
  /// One statement.
  static func deleteOld(_ connection: ServerConnection) throws {
    try connection.execute("DELETE FROM _commit WHERE time < \(ServerHistory.now) - 86400::double precision")
  }

  /// Whether its transaction is committed, where none that its connection began is in progress.
  ///
  /// One statement.
  func isThere(_ connection: ServerConnection) throws -> Bool {
    try connection.run(
      "SELECT 1 FROM _commit WHERE connection = $1::text::uuid AND number = $2",
      [.text(self.connection), .number(number)]
    ).count > 0
  }
}
