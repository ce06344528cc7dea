public import ObjectModel
public import ObjectQuery
public import StoreContract

/// Reading and writing rows without objects, past unsaved changes: for analysis, import and export.
///
/// A request's `propertiesToFetch` names the columns, through to-ones and with aggregates if need be; nil
/// means all attributes. Predicate, order, limit, offset and groups hold as for dictionaries.
///
/// Each batch is one transaction. Registered objects, in this context and the coordinator's others, then show
/// what the batch did: unchanged ones turn into faults, deleted ones become deleted (`isDeleted`), and
/// to-manys are read again. Changed objects keep their changes over the new row (one statement for each root
/// entity with changed objects). If a batch changed the same row, or a batch of another context deleted it,
/// saving is a conflict. Live results are fetched again.
extension ManagedObjectContext {
  /// Lets a closure see the rows of a request one at a time.
  ///
  /// One statement; memory for one row, whatever their number. Inside the closure other reads are fine, but a
  /// save or a batch of the same store throws.
  /// - Parameters:
  ///   - request: What to read.
  ///   - body: Called for each row; returns false to stop.
  /// - Throws: `StoreError` when the store refuses, and what the closure throws.
  public func enumerateRows(_ request: FetchRequest, _ body: (RowCursor) throws -> Bool) throws {
    try storeToScan(request).enumerateRows(request, begin: { _ in }, row: body)
  }

  /// The rows of a request as values of any type, made row by row, with one statement.
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

  /// The rows of a request column by column, each in one flat array, with one statement.
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

  /// Inserts rows for as long as a closure fills one and answers true.
  ///
  /// Memory stays the same whatever their number. One statement is prepared, and runs once per row. Of a
  /// one-to-one the side is set that a row names, so that the other one is a batch of its own.
  /// - Throws: `ContextError` for an unknown entity; `StoreError`: `notUnique`, `invalidValue` for a missing
  ///   required value, `conflict` for a destination that does not exist. Nothing is inserted then, except
  ///   perhaps at `outcomeUnknown`.
  @discardableResult
  public func batchInsert(into entityName: String, _ next: (BatchRow) throws -> Bool) throws -> BatchResult {
    try graph.batches.insert(into: entityName, next)
  }

  /// Inserts a row for each element of a sequence.
  /// - Throws: as `batchInsert(into:_:)`.
  @discardableResult
  public func batchInsert<S: Sequence>(
    into entityName: String, of elements: S, _ fill: (BatchRow, S.Element) throws -> Void
  ) throws -> BatchResult {
    var iterator = elements.makeIterator()
    return try batchInsert(into: entityName) { row in
      guard let element = iterator.next() else { return false }
      try fill(row, element)
      return true
    }
  }

  /// Inserts a row for each dictionary, whose keys are attributes and to-ones (as `.reference`).
  /// - Throws: as `batchInsert(into:_:)`, and `notFound` for an unknown key.
  @discardableResult
  public func batchInsert(
    into entityName: String, dictionaries: some Sequence<[String: AttributeValue]>
  ) throws -> BatchResult {
    try batchInsert(into: entityName, of: dictionaries) { row, values in
      for (name, value) in values { try row.set(name, value) }
    }
  }

  /// Gives attributes and to-ones of every object that a request selects new values.
  ///
  /// One statement. Types, required values and the attributes' minimum, maximum and pattern are checked;
  /// hooks of objects are not called. Of a one-to-one the side is set that is named.
  /// - Throws: `ContextError` with code `validation`, `StoreError`, with code `unsupportedRequest` for a
  ///   to-one whose inverse is ordered; nothing is changed then, except
  ///   perhaps at `outcomeUnknown`.
  @discardableResult
  public func batchUpdate(
    _ request: FetchRequest, set values: [String: AttributeValue]
  ) throws -> BatchResult {
    try graph.batches.update(request, set: values)
  }

  /// Deletes every object that a request selects, with the model's delete rules and a few statements per
  /// relationship.
  /// - Throws: `StoreError` with code `denied` when a rule forbids it; nothing is deleted then.
  ///   `outcomeUnknown` when it may have been.
  @discardableResult
  public func batchDelete(_ request: FetchRequest) throws -> BatchResult { try graph.batches.delete(request) }
}
