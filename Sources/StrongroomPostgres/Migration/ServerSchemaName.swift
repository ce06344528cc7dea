import StoreContract

/// The names of the schemas that a migration makes beside the store's.
struct ServerSchemaName {
  private let connection: ServerConnection

  init(_ connection: ServerConnection) { self.connection = connection }

  /// A name for what a schema has before a migration: its own with the time, in UTC by the server's clock.
  func before(_ schema: String) throws -> String { try unused(schema, "before") }

  /// A name for a draft of what a schema has.
  func draft(_ schema: String) throws -> String { try unused(schema, "draft") }

  private func unused(_ schema: String, _ purpose: String) throws -> String {
    let rows = try connection.run(
      "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYYMMDD\"_\"HH24MISS'), nspname::text"
        + " FROM pg_namespace")
    var naming = ServerNaming(reserved: Set((0..<rows.count).map { rows.text($0, 1) }))
    let end = "_\(purpose)_\(rows.text(0, 0))"
    return naming.own(ServerNaming.cut(schema, to: 60 - end.utf8.count) + end)
  }

  /// Makes a schema.
  /// - Throws: `readOnly` where the server does not let the user.
  func create(_ name: String) throws {
    do { try connection.execute("CREATE SCHEMA \(name.quoted)") } catch let error as ServerError
      where error.isDenied
    {
      throw StoreError(
        .readOnly,
        "a migration that drops data makes a copy of the store before, and one by the program's own work is"
          + " done on a copy; that needs a schema, which the server does not let this user make: grant CREATE"
          + " on the database; one that is inferred and drops nothing needs none with allowsLossyMigration"
          + " false",
        cause: error)
    }
  }
}
