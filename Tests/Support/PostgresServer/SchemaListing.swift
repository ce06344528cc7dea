import Foundation

extension PostgresServer {
  /// All that a schema has, as pg_dump writes it.
  package func dump(_ schema: String) throws -> String {
    guard let programs = Self.programs else { throw Failure(description: "install postgresql") }
    let all = try Self.run(
      "'\(programs.path)/pg_dump' -U tester -h '\(folder.path)' -d postgres --inserts -n '\"\(schema)\"'")
    // Newer ones write a random word for psql.
    return all.split(separator: "\n").filter { !$0.contains("restrict ") }.joined(separator: "\n")
  }

  /// The columns, indexes and constraints of a schema, one text each, without the numbers of entities.
  package func listing(_ schema: String) throws -> Set<String> {
    let all = try execute(
      """
      SELECT format('%s.%s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
        coalesce((SELECT collname::text FROM pg_collation WHERE oid = a.attcollation), ''))
      FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE c.relnamespace = '"\(schema)"'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
        AND NOT a.attisdropped
      UNION ALL SELECT format('%s.%s default', c.relname, a.adnum) FROM pg_attrdef a
      JOIN pg_class c ON c.oid = a.adrelid WHERE c.relnamespace = '"\(schema)"'::regnamespace
      UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = '\(schema)'
      UNION ALL SELECT format('%s %s', conname, pg_get_constraintdef(oid)) FROM pg_constraint
      WHERE connamespace = '"\(schema)"'::regnamespace
      """)
    let lines = all.split(separator: "\n").map { line in
      String(line).replacing("\"\(schema)\".", with: "")
        .replacing(/'[0-9]+'::bigint|_entity = [0-9]+/, with: "n")
    }
    return Set(lines)
  }
}
