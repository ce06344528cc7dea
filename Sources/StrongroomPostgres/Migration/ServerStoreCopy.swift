import Foundation
import ObjectModel
import StoreContract

/// Copies a store as it is into a schema of its own, where it can be opened.
struct ServerStoreCopy {
  private let connection: ServerConnection
  private let name: String
  private let schema: ServerSchema

  init(_ connection: ServerConnection, of name: String, _ schema: ServerSchema) {
    (self.connection, self.name, self.schema) = (connection, name, schema)
  }

  /// - Throws: `readOnly` where the server does not let the user make a schema.
  func make() throws {
    let copy = try unusedName()
    do { try connection.execute("CREATE SCHEMA \(copy.quoted)") } catch let error as ServerError
      where error.isDenied
    {
      throw StoreError(
        .readOnly,
        "the migration drops data, and the copy of the store that it makes before needs a schema, which the"
          + " server does not let this user make: grant CREATE on the database, or set allowsLossyMigration"
          + " to false", cause: error)
    }
    try connection.execute("SET LOCAL search_path TO \(copy.quoted)")
    try connection.execute((ServerMetadata.creation + schema.tableCreation).joined(separator: ";"))
    try connection.execute("DELETE FROM _history")
    for table in ServerHistory.tables.union(["_store", "_sequence"]).sorted() { try fill(table, ["*"]) }
    for root in schema.roots {
      let table = schema.table(root)
      try fill(table.name, ["_id", "_entity", "_version"] + table.columns.map(\.name.quoted))
    }
    for links in schema.orderedLinks {
      try fill(links.name, ["_source", "_target", "_position", "_inverse_position"])
    }
    try connection.execute(
      schema.indexes.map(\.creation).joined(separator: ";")
        + ";SET LOCAL search_path TO \(name.quoted)")
  }

  private func fill(_ table: String, _ columns: [String]) throws {
    let list = columns.joined(separator: ", ")
    let names = columns == ["*"] ? "" : " (\(list))"
    try connection.execute(
      "INSERT INTO \(table.quoted)\(names) SELECT \(list) FROM \(name.quoted).\(table.quoted)")
  }

  /// The store's name with the time, in UTC by the server's clock.
  private func unusedName() throws -> String {
    let rows = try connection.run(
      "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD\"_\"HH24MISS'), nspname::text"
        + " FROM pg_namespace")
    var naming = ServerNaming(reserved: Set((0..<rows.count).map { rows.text($0, 1) }))
    let time = "_before_\(rows.text(0, 0))"
    return naming.own(ServerNaming.cut(name, to: 60 - time.utf8.count) + time)
  }
}
