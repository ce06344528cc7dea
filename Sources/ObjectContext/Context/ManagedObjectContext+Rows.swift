public import ObjectQuery
public import StoreContract

/// Reading without objects: for analysis, export and everything that looks at many rows once. Ignores unsaved
/// changes.
///
/// A request's `propertiesToFetch` names the columns, through to-ones and with aggregates if need be; nil
/// means all attributes. Predicate, order, limit, offset and groups hold as for dictionaries.
extension ManagedObjectContext {
  /// Lets a closure see the rows of a request one at a time.
  ///
  /// One statement; memory for one row, whatever their number.
  ///
  /// Inside the closure other reads are fine, but a save or a batch of the same store throws.
  ///
  /// - Parameters:
  ///   - request: What to read.
  ///   - body: Called for each row; returns false to stop.
  /// - Throws: `StoreError` when the store refuses, and what the closure throws.
  public func enumerateRows(_ request: FetchRequest, _ body: (RowCursor) throws -> Bool) throws {
    try storeToScan(request).enumerateRows(request, begin: { _ in }, row: body)
  }

  /// The rows of a request as values of any type, made row by row.
  ///
  /// One statement.
  /// - Throws: as `enumerateRows(_:_:)`.
  @inlinable
  public func fetchRows<Row>(_ request: FetchRequest, _ make: (RowCursor) throws -> Row) throws -> [Row] {
    var rows: [Row] = []
    try storeToScan(request).enumerateRows(
      request, begin: { rows.reserveCapacity($0.expectedCount) },
      row: {
        rows.append(try make($0))
        return true
      })
    return rows
  }

  /// The rows of a request column by column, each in one flat array.
  ///
  /// One statement.
  /// - Throws: `StoreError` when the store refuses.
  public func fetchColumns(_ request: FetchRequest) throws -> FetchedColumns {
    var builder = ColumnsBuilder(RowColumns(names: [], types: []))
    try storeToScan(request).enumerateRows(
      request, begin: { builder = ColumnsBuilder($0) },
      row: {
        builder.append($0)
        return true
      })
    return builder.finish()
  }

  /// The store of a request's entity, in the query generation of this context.
  @usableFromInline
  func storeToScan(_ request: FetchRequest) throws -> any IncrementalStore {
    if let parent { return try parent.storeToScan(request) }
    if let queryGenerationToken { return try queryGenerationToken.store(forEntityNamed: request.entityName) }
    return try persistentStoreCoordinator.store(forEntityNamed: request.entityName)
  }
}
