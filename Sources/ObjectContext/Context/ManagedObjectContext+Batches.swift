public import ObjectModel
public import ObjectQuery
public import StoreContract

/// Writing without objects: each batch is one transaction, and this context's unsaved changes are
/// not part of it.
///
/// Registered objects, in this context and the coordinator's others, then show what the batch did:
/// unchanged ones turn into faults, deleted ones become deleted (`isDeleted`), and to-manys are
/// read again. Changed objects keep their changes over the new row (one statement for each root
/// entity with changed objects). If a batch changed the same row, or a batch of another context
/// deleted it, saving is a conflict. Live results are fetched again.
extension ManagedObjectContext {
  /// Inserts rows for as long as a closure fills one and answers true.
  ///
  /// Memory stays the same whatever their number. One statement is prepared, and runs once per row.
  /// - Throws: `ContextError` for an unknown entity; `StoreError`: `notUnique`, `invalidValue` for a missing
  ///   required value, `conflict` for a destination that does not exist. Nothing is inserted then.
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
  /// One statement.
  ///
  /// Types, required values and the attributes' minimum, maximum and pattern are checked; hooks of objects
  /// are not called.
  /// - Throws: `ContextError` with code `validation`, `StoreError`; nothing is changed then.
  @discardableResult
  public func batchUpdate(
    _ request: FetchRequest, set values: [String: AttributeValue]
  ) throws -> BatchResult {
    try graph.batches.update(request, set: values)
  }

  /// Deletes every object that a request selects, with the model's delete rules.
  ///
  /// A few statements per relationship.
  /// - Throws: `StoreError` with code `denied` when a rule forbids it; nothing is deleted then.
  @discardableResult
  public func batchDelete(_ request: FetchRequest) throws -> BatchResult {
    try graph.batches.delete(request)
  }
}
