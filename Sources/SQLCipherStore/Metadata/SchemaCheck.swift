import CipherDatabase
import Foundation
import ObjectModel
import StoreContract

/// Compares the tables, indexes, triggers and views of a file with those that a model makes.
///
/// Triggers run with every write, and a view in place of a table runs with every read, so a file
/// made by an attacker could run any SQL. The schema is therefore compared before any table is
/// read. Reading `sqlite_master` runs nothing.
struct SchemaCheck {
  /// One row of `sqlite_master`.
  struct SchemaObject {
    let type: String
    let name: String
    /// Nil for the indexes that the library makes by itself.
    let sql: String?

    /// Type and name for a message: of one line, and no longer than that.
    var description: String {
      let plain = name.unicodeScalars.prefix(100).map { $0.value < 32 ? " " : Character($0) }
      return "\(["table", "index", "trigger", "view"].contains(type) ? type : "object") \(String(plain))"
    }
  }

  private let objects: [SchemaObject]

  /// Reads the schema of a file.
  ///
  /// One statement.
  init(_ connection: Connection) throws {
    let statement = try connection.cached("SELECT type, name, sql FROM sqlite_master")
    defer { statement.reset() }
    var objects: [SchemaObject] = []
    while try statement.step() {
      objects.append(
        SchemaObject(
          type: statement.text(0), name: statement.text(1),
          sql: statement.isNull(2) ? nil : statement.text(2)))
    }
    self.objects = objects
  }

  /// Makes sure that `_store` may be asked.
  /// - Throws: `StoreError`: `modelMismatch` when the file is a database of something else,
  ///   `schemaMismatch` when `_store` is something else than a table of ours.
  func checkIsStore() throws {
    guard let own = objects.first(where: { $0.name.lowercased() == "_store" }) else {
      throw StoreError(.modelMismatch, "the file opens with its key but is no Strongroom store")
    }
    if !StoreTable.creation.contains(own.sql ?? "") { throw Self.refusal(own) }
  }

  func has(table name: String) -> Bool { objects.contains { $0.name == name && $0.type == "table" } }

  /// Refuses a file with anything in it that no model makes.
  /// - Parameters:
  ///   - schema: What the program's model makes.
  ///   - table: What the file says of itself; asked only where the first is not enough: models of
  ///     one version hash may number their triggers and indexes in different orders, and a deferred
  ///     migration leaves tables and columns behind.
  /// - Throws: `StoreError` with code `schemaMismatch`, and what reading the table throws.
  func refuseForeign(_ schema: StoreSchema, of table: StoreTable) throws {
    guard !foreign(to: [schema]).isEmpty else { return }
    let left = try foreign(to: [schema, table.storedSchema()], besides: table.deferredCleanUp())
    if let first = left.first { throw Self.refusal(first) }
  }

  private static func refusal(_ object: SchemaObject) -> StoreError {
    StoreError(
      .schemaMismatch,
      "the file has the \(object.description), which its model does not make; nothing of it was run; open a"
        + " copy that"
        + " this library made, or import the data from one that you trust")
  }

  /// What neither a model nor the library makes, nor a deferred migration left.
  func foreign(
    to schemas: [StoreSchema], besides cleanUp: DeferredCleanUp = DeferredCleanUp()
  ) -> [SchemaObject] {
    let larger = schemas.flatMap { schema in
      schema.roots.map(schema.table).compactMap { table in
        cleanUp.columns[table.name].map { table.creation(with: $0.map(\.definition)) }
      }
    }
    let statements = StoreTable.creation + schemas.flatMap { $0.creation + $0.formerCreation } + larger
    // A file mostly has its statements in the order in which they are made, which needs no hash of them.
    var next = 0
    lazy var known = Set(statements)
    lazy var unordered = Set(statements.map(Self.unordered))
    let shadows = Set(schemas.flatMap(\.virtualIndexes).flatMap(\.shadowTables))
    return objects.filter { object in
      guard let sql = object.sql, !sql.isEmpty else {
        return object.type != "index" || !object.name.hasPrefix("sqlite_autoindex_")
      }
      if next < statements.count, statements[next] == sql {
        next += 1
        return false
      }
      if known.contains(sql) || unordered.contains(Self.unordered(sql)) { return false }
      if object.type == "table", cleanUp.isDroppedTable(object.name, sql) { return false }
      return !(shadows.contains(object.name) || Self.libraryTables.contains(object.name))
        || object.type != "table" || !Self.isPlain(sql)
    }
  }

  /// What ANALYZE and AUTOINCREMENT make.
  private static let libraryTables: Set<String> = [
    "sqlite_stat1", "sqlite_stat3", "sqlite_stat4", "sqlite_sequence",
  ]

  /// Whether the statement makes a table of columns without any expression, which would run with a
  /// write: these have parentheses.
  ///
  /// The text of the library's own tables differs from version to version.
  private static func isPlain(_ sql: String) -> Bool {
    let upper = sql.uppercased()
    guard upper.hasPrefix("CREATE TABLE"), !upper.contains("SELECT") else { return false }
    let columns = upper.replacing("PRIMARY KEY(LEVEL, IDX)", with: "")
    return columns.count { $0 == "(" } == 1
  }

  /// A table's statement with its columns in one order, and without default values.
  ///
  /// Statements name columns, so their order does not matter. A migration that adds a column gives
  /// it a default, which is for the rows that were there: a statement that inserts names the column.
  static func unordered(_ sql: String) -> String {
    guard sql.hasPrefix("CREATE TABLE"), let start = sql.firstIndex(of: "("), sql.hasSuffix(")") else {
      return sql
    }
    let columns = ColumnDefinitions(sql[sql.index(after: start)...].dropLast()).withoutDefaults
    return sql[...start] + columns.sorted().joined(separator: ", ") + ")"
  }
}
