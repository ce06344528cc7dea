import StoreContract

/// Links on their way into one join table, many a statement.
final class ServerLinkFilling {
  private static let together = 10_000

  private let table: ServerLinkTable
  private let connection: ServerConnection
  private var added: [(source: Int64, target: Int64, position: Int64)] = []
  private var placed: [(source: Int64, target: Int64, position: Int64)] = []

  init(_ table: ServerLinkTable, _ connection: ServerConnection) {
    (self.table, self.connection) = (table, connection)
  }

  func add(_ source: Int64, _ target: Int64, _ position: Int64) throws {
    added.append((source, target, position))
    if added.count == Self.together { try flush() }
  }

  /// Gives a link its place in the order of the inverse.
  func place(source: Int64, target: Int64, _ position: Int64) throws {
    placed.append((source, target, position))
    if placed.count == Self.together { try flush() }
  }

  func flush() throws {
    let rows = "unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS v(source, target, place)"
    func values(_ links: [(source: Int64, target: Int64, position: Int64)]) -> [ServerParameter] {
      [.numbers(links.map(\.source)), .numbers(links.map(\.target)), .numbers(links.map(\.position))]
    }
    if !added.isEmpty {
      try connection.run(
        "INSERT INTO \(table.name.quoted) (_source, _target, _position) SELECT * FROM \(rows)"
          + " ON CONFLICT DO NOTHING", values(added))
    }
    if !placed.isEmpty {
      try connection.run(
        "UPDATE \(table.name.quoted) l SET _inverse_position = v.place FROM \(rows)"
          + " WHERE l._source = v.source AND l._target = v.target", values(placed))
    }
    (added, placed) = ([], [])
  }
}
