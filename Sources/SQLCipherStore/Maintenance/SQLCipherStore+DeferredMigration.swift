import CipherDatabase
import StoreContract

extension SQLCipherStore {
  package var hasDeferredLightweightMigration: Bool {
    get throws {
      let opened = try open
      return try translating(path) {
        try opened.pool.read { try !StoreTable($0).deferredCleanUp().isEmpty }
      }
    }
  }

  package func finishDeferredLightweightMigrationTask() throws -> Bool {
    let opened = try open
    try checkWritable()
    // A page of nothing but zeros reads as one without rows, and a table is about to be copied.
    try WholeFileAccess.checkPages(opened.session.file, opened.session.cipher) { _ in }
    return try translating(path) {
      try opened.pool.write { connection in
        try connection.transaction(.immediate) {
          // Another process may have done some of it, or moved on from it, meanwhile.
          var cleanUp = try StoreTable(connection).deferredCleanUp()
          if let name = cleanUp.tables.popLast() {
            try connection.execute("DROP TABLE \(name.quoted)")
          } else if let name = cleanUp.columns.keys.min() {
            cleanUp.columns[name] = nil
            guard let table = opened.schema.tables.first(where: { $0.name == name }) else {
              throw StoreError(
                .modelMismatch,
                "the store's deferred migration names a table that its model does not have; restore a copy")
            }
            try Self.copy(table, asideTo: cleanUp.addTable(), connection)
          }
          try StoreTable(connection).write(cleanUp)
          return !cleanUp.isEmpty
        }
      }
    }
  }

  /// Writes a table again with its own columns only, and leaves the former one under another name.
  ///
  /// SQLite cannot drop a column before version 3.35, and then writes every row, too.
  private static func copy(_ table: EntityTable, asideTo former: String, _ connection: Connection) throws {
    let name = table.name.quoted
    let indexes = try statements("type = 'index' AND tbl_name = ?1", table.name, connection)
    // Renaming a table changes triggers that name it, or fails at them.
    let triggers = try statements("type = 'trigger'", nil, connection)
    for (trigger, _) in triggers { try connection.execute("DROP TRIGGER \(trigger.quoted)") }
    for (index, _) in indexes { try connection.execute("DROP INDEX \(index.quoted)") }
    try connection.execute("ALTER TABLE \(name) RENAME TO \(former.quoted)")
    try connection.execute(table.creation)
    let columns = (["_id", "_entity", "_version"] + table.columns.map(\.name.quoted)).joined(separator: ", ")
    try connection.execute("INSERT INTO \(name) (\(columns)) SELECT \(columns) FROM \(former.quoted)")
    for (_, sql) in indexes + triggers { try connection.execute(sql) }
  }

  private static func statements(
    _ condition: String, _ table: String?, _ connection: Connection
  ) throws -> [(name: String, sql: String)] {
    let statement = try connection.prepare(
      "SELECT name, sql FROM sqlite_master WHERE sql NOT NULL AND \(condition) ORDER BY rowid")
    if let table { statement.bind(1, table) }
    var all: [(name: String, sql: String)] = []
    while try statement.step() { all.append((statement.text(0), statement.text(1))) }
    return all
  }
}
