public import Foundation
public import ObjectQuery

extension RecordStore {
  /// Runs several writes, and reads between them, as one: all of it is saved at the end, or nothing
  /// when the closure throws. At the end one statement for each value written or deleted; a fixed
  /// number is prepared.
  ///
  /// The closure runs on the calling thread, and other writes of this store wait for it. Where
  /// another program wrote one of the same rows meanwhile, the end throws.
  /// - Throws: what the closure throws; `StoreError` (`conflict`, `notUnique`) when another program
  ///   was faster; `nested`.
  public func transaction<Result>(_ body: (RecordTransaction) throws -> Result) throws -> Result {
    try exclusively {
      let transaction = RecordTransaction(self)
      defer { transaction.end() }
      let result = try body(transaction)
      try transaction.commit()
      return result
    }
  }

  /// Stores a value: a new key is inserted, a known one updated. Two statements and their
  /// transaction.
  /// - Throws: `ValuesError`: `notRegistered`, `unencodable`; `StoreError`.
  public func push<Value: Record>(_ value: Value) throws { try push([value]) }

  /// Stores values in one transaction; of several with one key the last stays. One statement for
  /// each thousand keys, then one for each value; a fixed number is prepared, whatever the number
  /// of values.
  /// - Throws: as `push(_:)`; nothing is stored then.
  public func push<Value: Record>(_ values: some Sequence<Value>) throws {
    try again { try $0.push(values) }
  }

  /// Deletes values by their keys; what is not stored is no error. One statement for each thousand
  /// keys, then one for each value.
  /// - Throws: `ValuesError`, `StoreError`.
  public func delete<Value: Record>(_ value: Value) throws { try delete([value]) }

  /// Deletes values by their keys, in one transaction.
  /// - Throws: as `delete(_:)`; nothing is deleted then.
  public func delete<Value: Record>(_ values: some Sequence<Value>) throws {
    try again { try $0.delete(values) }
  }

  /// Deletes the values that meet a condition, and returns how many. A few statements, whatever
  /// their number.
  /// - Throws: as `fetch`.
  @discardableResult
  public func delete<Value: Record>(_ type: Value.Type, where predicate: Predicate<Value>) throws -> Int {
    try delete(type, RecordQuery.condition(predicate))
  }

  /// The same by a typed closure. A few statements, whatever their number.
  /// - Throws: as with a predicate.
  @discardableResult
  public func delete<Value: Record>(
    _ type: Value.Type, _ condition: (TypedExpression<Value>) -> some FetchCondition
  ) throws -> Int {
    try delete(type, FetchPredicate(for: type, condition))
  }

  /// Deletes all values of a type, and returns how many; its table stays. A few statements,
  /// whatever their number.
  /// - Throws: `ValuesError`, `StoreError`.
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

  /// A transaction of this library's own, which may run again when another program was faster.
  private func again(_ body: (RecordTransaction) throws -> Void) throws {
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
