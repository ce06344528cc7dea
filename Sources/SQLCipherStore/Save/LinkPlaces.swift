import CipherDatabase

/// The places that new links get at the end of an order, in one save.
///
/// The statement that inserts an object's first new link finds its place itself; for the others it would
/// search all of the object's links again, which is done once here instead.
struct LinkPlaces {
  let connection: Connection
  let table: JoinTable
  /// The column with the places.
  let column: String
  /// The column with the object whose order it is.
  let end: String
  private var seen: Set<Int64> = []
  private var next: [Int64: Int64] = [:]

  init(_ connection: Connection, _ table: JoinTable, column: String, of end: String) {
    (self.connection, self.table, self.column, self.end) = (connection, table, column, end)
  }

  /// The place of an object's next new link; nil for its first.
  ///
  /// One statement for the second.
  mutating func take(_ object: Int64) throws -> Int64? {
    if seen.insert(object).inserted { return nil }
    var place = next[object]
    if place == nil {
      let last = try connection.cached(table.nextPlace(column, "\(end) = ?1"))
      defer { last.reset() }
      last.bind(1, object)
      if try last.step() { place = last.int64(0) }
    }
    next[object] = place.map { $0 + 1 }
    return place
  }
}
