/// The text of a statement, as a key.
///
/// It is hashed by its length: hashing all of it takes longer than comparing it with the few of that length,
/// most often with itself.
struct StatementText: Hashable {
  private let sql: String

  init(_ sql: String) { self.sql = sql }

  func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
}
