/// The tables joined along the to-one key paths of a statement, from `t0`.
struct Joins {
  private struct Join {
    let path: [String]
    let alias: String
    let parent: String
    let table: String
    let column: String
    var isRequired = false
  }

  private var joins: [Join] = []
  private var words: String?
  private var link: (table: String, end: String)?
  /// The column that numbers the fetched entity's rows: `t0._id`, or its like in a table that is
  /// cheaper to sort.
  private(set) var rowNumber = "t0._id"

  /// Joins a link table by one of its ends; false when one is there already.
  ///
  /// Its rows must not repeat a number there.
  mutating func begin(with table: String, end: String) -> Bool {
    if link != nil { return false }
    link = (table, end)
    rowNumber = "m0.\(end)"
    return true
  }

  /// Joins the index of a ranked search.
  mutating func search(_ index: String) { words = index }

  /// The alias of a path, joined now if it is not yet.
  mutating func alias(_ path: [String], table: String, from parent: String, column: String) -> String {
    if let known = joins.first(where: { $0.path == path }) { return known.alias }
    let alias = "t\(joins.count + 1)"
    joins.append(Join(path: path, alias: alias, parent: parent, table: table, column: column))
    return alias
  }

  /// Says that no row without a destination here meets the condition, which lets the library begin
  /// with the destination.
  mutating func require(_ alias: String) {
    guard let index = joins.firstIndex(where: { $0.alias == alias }) else { return }
    joins[index].isRequired = true
    require(joins[index].parent)
  }

  var sql: String {
    (words.map { " JOIN \($0.quoted) ON \($0.quoted).docid = t0._id" } ?? "")
      + (link.map { " JOIN \($0.table.quoted) AS m0 ON m0.\($0.end) = t0._id" } ?? "")
      + joins.map { join in
        " \(join.isRequired ? "JOIN" : "LEFT JOIN") \(join.table.quoted) AS \(join.alias)"
          + " ON \(join.alias)._id = \(join.parent).\(join.column.quoted)"
      }.joined()
  }
}
