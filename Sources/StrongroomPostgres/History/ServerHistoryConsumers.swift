import Foundation
import StoreContract

/// The table `_consumer`: who reads the history, and up to where each has.
///
/// When each was last seen is by the server's clock.
struct ServerHistoryConsumers {
  private static let columns = "name, number, span, seen"
  private let connection: ServerConnection

  init(_ connection: ServerConnection) { self.connection = connection }

  /// One statement.
  func all() throws -> [PersistentHistoryConsumer] {
    try consumers("SELECT \(Self.columns) FROM _consumer ORDER BY name")
  }

  /// One statement.
  func consumer(named name: String) throws -> PersistentHistoryConsumer? {
    try consumers("SELECT \(Self.columns) FROM _consumer WHERE name = $1", [.text(name)]).first
  }

  /// The one within its span that has read least; one statement.
  func slowest() throws -> PersistentHistoryConsumer? {
    try consumers(
      "SELECT \(Self.columns) FROM _consumer WHERE seen + span >= \(ServerHistory.now)"
        + " ORDER BY number LIMIT 1"
    ).first
  }

  private func consumers(_ sql: String, _ parameters: [ServerParameter] = []) throws
    -> [PersistentHistoryConsumer]
  {
    let rows = try connection.run(sql, parameters)
    return (0..<rows.count).map { row in
      PersistentHistoryConsumer(
        name: rows.text(row, 0), transactionNumber: rows.number(row, 1), span: rows.double(row, 2),
        lastSeen: Date(timeIntervalSinceReferenceDate: rows.double(row, 3)))
    }
  }

  /// Adds a consumer at the end of the history, or changes the span of one that is there, which has been
  /// seen now.
  ///
  /// One statement.
  func register(_ name: String, span: TimeInterval) throws {
    try connection.run(
      "INSERT INTO _consumer SELECT $1::text, last, $2::double precision, \(ServerHistory.now) FROM _history"
        + " ON CONFLICT (name) DO UPDATE SET span = excluded.span, seen = excluded.seen",
      [.text(name), .double(span)])
  }

  /// Moves a consumer on to a place; one that is there or beyond stays.
  ///
  /// One statement.
  /// - Throws: `notFound` where no consumer has that name.
  func advance(_ name: String, to number: Int64) throws {
    let rows = try connection.run(
      "UPDATE _consumer SET number = greatest(number, $2), seen = \(ServerHistory.now) WHERE name = $1"
        + " RETURNING number", [.text(name), .number(number)])
    if rows.count == 0 { throw StoreError.missingConsumer(name) }
  }

  /// One statement.
  func remove(_ name: String) throws -> Bool {
    try connection.run("DELETE FROM _consumer WHERE name = $1 RETURNING number", [.text(name)]).count > 0
  }
}
