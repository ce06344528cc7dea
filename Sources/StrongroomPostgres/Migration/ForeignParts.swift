import LightweightMigration
import ObjectModel
import StoreContract

/// What tables have that the store did not make, and that would be lost where their rows are copied into
/// others.
struct ForeignParts {
  private let schema: ServerSchema
  private let connection: ServerConnection

  init(_ schema: ServerSchema, _ connection: ServerConnection) {
    (self.schema, self.connection) = (schema, connection)
  }

  /// Two statements for each table.
  ///
  /// - Throws: `schemaMismatch` where a table has others' triggers, policies, columns, rules or rights to
  ///   columns; `fileDamaged` where rows are of no entity.
  func check(_ tables: [String]) throws {
    for root in schema.roots where tables.contains(schema.table(root).name) {
      let table = schema.table(root)
      try check(table.name, columns: table.columns.count + 3)
      let numbers = root.hierarchy.map { String(schema.number($0)) }.joined(separator: ", ")
      let unknown = try connection.run(
        "SELECT count(*) FROM \(table.name.quoted) WHERE _entity NOT IN (\(numbers))")
      if unknown.number(0, 0) > 0 {
        throw StoreError(
          .fileDamaged,
          "rows of \(table.name) are of no entity of the store's model; restore a copy, or remove them")
      }
    }
    for links in schema.orderedLinks where tables.contains(links.name) { try check(links.name, columns: 4) }
  }

  /// Two statements for each table that is the store's own, and none of the model's.
  ///
  /// - Throws: As `check(_:)`.
  func checkOwnTables() throws {
    for table in ServerMetadata.tables { try check(table, columns: nil) }
  }

  private func check(_ table: String, columns: Int?) throws {
    let rows = try connection.run(
      """
      SELECT (SELECT count(*) FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal),
        c.relrowsecurity::int::bigint + (SELECT count(*) FROM pg_policy WHERE polrelid = c.oid),
        (SELECT count(*) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped),
        (SELECT count(*) FROM pg_attribute WHERE attrelid = c.oid AND attacl IS NOT NULL),
        (SELECT count(*) FROM pg_constraint WHERE conrelid = c.oid AND contype IN ('c', 'f')
          OR conrelid = c.oid AND contype IN ('u', 'x') AND conname <> ALL ($2::text[])
          OR confrelid = c.oid),
        (SELECT count(*) FROM pg_depend WHERE refobjid = c.oid AND classid = 'pg_rewrite'::regclass),
        (SELECT count(*) FROM pg_publication_rel WHERE prrelid = c.oid)
      FROM pg_class c WHERE c.oid = $1::text::regclass
      """, [.text(table.quoted), .texts(schema.indexes.filter(\.isConstraint).map(\.name))])
    let expected: [(name: String, count: Int64)] = [
      ("triggers", 0), ("policies of rows", 0), ("columns", columns.map(Int64.init) ?? rows.number(0, 2)),
      ("rights to columns", 0),
      ("keys or checks", 0), ("views", 0), ("publications", 0),
    ]
    let foreign = expected.enumerated().filter { rows.number(0, $0.offset) != $0.element.count }
    if foreign.isEmpty { return }
    let names = foreign.map(\.element.name).joined(separator: ", ")
    throw StoreError(
      .schemaMismatch,
      "the table \(table) has \(names) that the store did not make, and the new version needs its"
        + " rows in another table, which would not have them; remove them, open the store, and make them"
        + " again; nothing was changed")
  }
}
