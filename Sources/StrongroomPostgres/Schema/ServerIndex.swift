/// An index or a constraint of a table.
struct ServerIndex: Hashable {
  let name: String
  let table: String
  /// What comes behind the table's name.
  let terms: String
  var isConstraint = false

  var creation: String {
    isConstraint
      ? "ALTER TABLE \(table.quoted) ADD CONSTRAINT \(name.quoted) \(terms)"
      : "CREATE INDEX \(name.quoted) ON \(table.quoted) \(terms)"
  }

  /// Does nothing where it went with a column.
  var removal: String {
    isConstraint
      ? "ALTER TABLE \(table.quoted) DROP CONSTRAINT IF EXISTS \(name.quoted)"
      : "DROP INDEX IF EXISTS \(name.quoted)"
  }
}
