public import ObjectModel
public import ObjectQuery
public import StoreContract

/// Batches, each in one transaction.
extension PostgresStore {
  /// How many rows are sent together.
  private static let rowsTogether = 4096

  /// Inserts rows in one transaction, 4,096 at a time.
  ///
  /// Memory stays the same whatever their number, where no attribute is derived from when a row was saved.
  /// What `next` reads is what is committed. The rows' numbers are consecutive: programs that need new ones
  /// of the same hierarchy wait until the end.
  /// - Throws: As `save(_:beforeCommit:)`, `busy` after a deadlock too, and what `next` throws; nothing is
  ///   inserted then.
  public func insert(into entity: EntityDescription, next: (BatchRow) throws -> Bool) throws -> BatchResult {
    var hasTaken = false
    return try writing { transaction in
      // Rows that were taken from the program do not come again.
      if hasTaken { throw StoreError.givenUp }
      transaction.isBatch = true
      try transaction.begin()
      var rows = try InsertedRows(entity, storeEntities)
      var last = try sequence.lock(entity, transaction.connection)
      var isMore = true
      hasTaken = true
      while isMore {
        try ServerPool.outsideOfTransaction {
          repeat {
            isMore = try rows.add(next) {
              last += 1
              return last
            }
          } while isMore && rows.count < Self.rowsTogether
        }
        if rows.count == 0 { continue }
        try transaction.write(rows.take())
        try transaction.checkUniqueness()
      }
      sequence.advance(entity, to: last, transaction.connection)
      try transaction.finish()
      return rows.result
    }
  }

  /// Changes all objects of a request in one transaction.
  ///
  /// Programs that write objects of the hierarchy wait meanwhile, so that all that is there is changed. The
  /// objects are in memory at once.
  /// - Throws: As `save(_:beforeCommit:)`; nothing is changed then.
  public func update(_ batch: BatchUpdate) throws -> BatchResult {
    try batching(batch.request) {
      try changes(batch)
    } count: {
      $0.updated.count
    }
  }

  /// Deletes all objects of a request, by the rules of their relationships, in one transaction.
  ///
  /// As `update(_:)`.
  /// - Throws: As `save(_:beforeCommit:)`, and `denied`; nothing is deleted then.
  public func delete(matching request: FetchRequest) throws -> BatchResult {
    try batching(request) {
      try deletions(matching: request)
    } count: {
      $0.deleted.count
    }
  }

  private func batching(
    _ request: FetchRequest, _ changes: () throws -> SaveChangesRequest, count: (SaveChangesRequest) -> Int
  ) throws -> BatchResult {
    // Before the save has looked at the version, a migration shows by what is not there any more.
    try reading {
      try writing { transaction in
        transaction.isBatch = true
        // The request's own condition is to be planned with its values.
        transaction.connection.plan(.asSet)
        if let entity = model.entity(named: request.entityName) {
          let table = try open.schema.table(entity).name.quoted
          transaction.connection.add("LOCK TABLE \(table) IN SHARE ROW EXCLUSIVE MODE")
        }
        let save = try changes()
        if count(save) > 0 {
          transaction.connection.plan(.forSaves)
          try transaction.begin()
          try transaction.write(save)
          try transaction.finish()
        }
        return BatchResult(count: count(save))
      }
    }
  }
}
