/// Puts the tables of one schema in the place of a store's, in a transaction that no other reads overlap.
struct ServerReplacement {
  private let connection: ServerConnection
  private let store: String
  private let draft: String

  /// - Parameters:
  ///   - connection: In a transaction with the store's tables.
  ///   - store: The store's schema.
  ///   - draft: The schema of what takes its place.
  init(_ connection: ServerConnection, of store: String, by draft: String) {
    (self.connection, self.store, self.draft) = (connection, store, draft)
  }

  /// Moves the tables; the former ones go into a schema of their own, or are dropped.
  ///
  /// Those who may use a table may use the one that has its name then.
  func run(_ old: ServerSchema, _ new: ServerSchema, keepsFormer: Bool) throws {
    let (former, tables) = (old.tableNames + ServerMetadata.tables, new.tableNames + ServerMetadata.tables)
    // Programs may have taken numbers of objects that they could not save.
    try connection.execute(
      "UPDATE \(name("_sequence")) d SET last = greatest(d.last, s.last) FROM _sequence s"
        + " WHERE s.entity = d.entity")
    let rights = ServerRights(connection)
    for table in tables {
      if former.contains(table) {
        try rights.grant(name(table), like: table.quoted)
      } else {
        try rights.grantDefaults(name(table), of: store)
      }
    }
    let owner = try rights.owner(of: "_store")
    if keepsFormer {
      let schemas = ServerSchemaName(connection)
      let before = try schemas.before(store)
      try schemas.create(before)
      try move(former.map(\.quoted), to: before)
    } else {
      try connection.execute("DROP TABLE \(former.map(\.quoted).joined(separator: ", "))")
    }
    try move(tables.map(name), to: store)
    // Only here: in the draft's schema the owner may make nothing.
    for table in tables { try rights.give(table.quoted, to: owner) }
  }

  /// A table of the draft, in SQL.
  private func name(_ table: String) -> String { "\(draft.quoted).\(table.quoted)" }

  private func move(_ tables: [String], to schema: String) throws {
    let moves = tables.map { "ALTER TABLE \($0) SET SCHEMA \(schema.quoted)" }
    try connection.execute(moves.joined(separator: ";"))
  }
}
