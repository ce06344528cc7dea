public import Foundation
public import ObjectQuery

extension RecordStore {
  /// Runs several reads and writes as one transaction, which is saved when the closure returns and
  /// discarded when it throws.
  ///
  /// The save issues one statement for each value written or deleted; it prepares a fixed number.
  ///
  /// The closure runs on the calling thread, and other writes of this store wait for it. When
  /// another program wrote one of the same rows in the meantime, the save throws.
  /// - Throws: what the closure throws; `StoreError` (`conflict`, `notUnique`) when another program
  ///   wrote first; `RecordError` with code `nested` inside another transaction of this store.
  public func transaction<Result>(_ body: (RecordTransaction) throws -> Result) throws -> Result {
    try exclusively {
      let transaction = RecordTransaction(self)
      defer { transaction.end() }
      let result = try body(transaction)
      try transaction.commit()
      return result
    }
  }

  /// Stores a value: inserts a new key, updates a stored one.
  ///
  /// Two statements and their transaction.
  /// - Throws: `RecordError`: `notRegistered`, `unencodable`, `nested`, `closed`; `StoreError`.
  public func push<Value: Record>(_ value: Value) throws { try push([value]) }

  /// Stores values in one transaction; of several with the same key the last is stored.
  ///
  /// One statement for each thousand keys, of an empty table one for all, then one for each value;
  /// prepares a fixed number.
  /// - Throws: as `push(_:)` of a value. Nothing is stored then.
  @inlinable
  public func push<Value: Record>(_ values: some Sequence<Value>) throws { try push(all: Array(values)) }

  /// Takes an array, since a sequence may be run through once only.
  @usableFromInline
  func push<Value: Record>(all values: [Value]) throws { try retrying { try $0.push(all: values) } }

  /// Deletes a value by its key; a key that is not stored is no error.
  ///
  /// Two statements and their transaction.
  /// - Throws: `RecordError`: `notRegistered`, `nested`, `closed`; `StoreError`.
  public func delete<Value: Record>(_ value: Value) throws { try delete([value]) }

  /// Deletes values by their keys, in one transaction.
  ///
  /// One statement for each thousand keys, then one for each value.
  /// - Throws: as `delete(_:)` of a value. Nothing is deleted then.
  public func delete<Value: Record>(_ values: some Sequence<Value>) throws {
    let values = Array(values)
    try retrying { try $0.delete(values) }
  }

  /// Deletes the values that match a predicate, and returns how many.
  ///
  /// A fixed number of statements.
  /// - Throws: `QueryError` for a predicate without translation; `RecordError`: `notRegistered`,
  ///   `nested`, `closed`; `StoreError`.
  @discardableResult
  public func delete<Value: Record>(_ type: Value.Type, where predicate: Predicate<Value>) throws -> Int {
    try delete(type, RecordQuery.condition(predicate))
  }

  /// Deletes the values that meet a typed condition, and returns how many.
  ///
  /// A fixed number of statements.
  /// - Throws: as `delete(_:where:)`.
  @discardableResult
  public func delete<Value: Record>(
    _ type: Value.Type, _ condition: (TypedExpression<Value>) -> some FetchCondition
  ) throws -> Int {
    try delete(type, FetchPredicate(for: type, condition))
  }

  /// Deletes all values of a type, and returns how many; the table stays.
  ///
  /// A fixed number of statements.
  /// - Throws: `RecordError`: `notRegistered`, `nested`, `closed`; `StoreError`.
  @discardableResult
  public func clear<Value: Record>(_ type: Value.Type) throws -> Int { try delete(type, nil) }

  private func delete<Value: Record>(_ type: Value.Type, _ condition: FetchPredicate?) throws -> Int {
    let table = try table(type)
    let request = try RecordQuery.request(type, table, condition)
    return try exclusively {
      try coordinator.persistentStore(for: table.entity).delete(matching: request).count
    }
  }

  private static let attempts = 10

  /// Runs a transaction that does not depend on what it read again when another program wrote
  /// first.
  private func retrying(_ body: (RecordTransaction) throws -> Void) throws {
    for attempt in 1...Self.attempts {
      do {
        return try transaction(body)
      } catch let error as StoreError
        where [.conflict, .notUnique].contains(error.code) && attempt < Self.attempts
      {
        continue
      }
    }
  }
}
