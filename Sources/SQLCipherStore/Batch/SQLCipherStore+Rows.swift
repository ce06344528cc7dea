import CipherDatabase
import ObjectModel
public import ObjectQuery
public import StoreContract

extension SQLCipherStore {
  /// Runs through the rows of a request's columns in its order.
  ///
  /// One statement (two over a whole table); memory for one row, whatever their number, unless a
  /// part of the request cannot be asked in SQL or equal rows are to come once.
  public func enumerateRows(
    _ request: FetchRequest, begin: (RowColumns) throws -> Void, row: (RowCursor) throws -> Bool
  ) throws {
    let opened = try open
    let shape = try RequestShape(request, returning: .dictionaries)
    try translating(path) {
      let plan = try plan(shape, in: opened)
      let isDone = try opened.pool.fetch { connection -> Bool in
        guard let layout = plan.rowLayout, !request.returnsDistinctResults || plan.isDistinct else {
          return false
        }
        let statement = try plan.bound(connection, shape)
        defer { statement.reset() }
        let expected = try expectedCount(request, plan.entity, connection, opened)
        try begin(RowColumns(names: layout.names, types: layout.types, expectedCount: expected))
        let builder = NodeBuilder()
        try layout.types.withUnsafeBufferPointer { types in
          while try statement.step() {
            statement.decode(layout.kinds, into: builder)
            if try !row(builder.row(types)) { break }
          }
        }
        return true
      }
      if !isDone { try enumerateDictionaries(request, begin: begin, row: row) }
    }
  }
}

extension SQLCipherStore {
  private static let mostExpected = 1 << 18

  /// The limit, or for a whole table its greatest number.
  private func expectedCount(
    _ request: FetchRequest, _ entity: EntityDescription, _ connection: Connection, _ opened: Opened
  ) throws -> Int {
    if let limit = request.effectiveFetchLimit { return min(limit, Self.mostExpected) }
    guard request.predicate == nil, request.propertiesToGroupBy.isEmpty, entity.superentity == nil else {
      return 0
    }
    return min(try greatestNumber(entity, connection, opened), Self.mostExpected)
  }

  /// No less than the number of rows, since numbers are not used again.
  func greatestNumber(_ entity: EntityDescription, _ connection: Connection, _ opened: Opened) throws -> Int {
    let statement = try connection.cached("SELECT max(_id) FROM \(opened.schema.table(entity).name.quoted)")
    defer { statement.reset() }
    return try statement.step() ? Int(statement.int64(0)) : 0
  }
}
