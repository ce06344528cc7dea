public import Foundation
public import ObjectQuery

extension ManagedObjectContext {
  /// The objects of a class that meet a condition: `fetch(Book.self) { $0.pages > 300 && $0.author.name == "Ada" }`.
  ///
  /// The closure runs once, to write the condition down. One statement.
  /// - Throws: as `fetch(_:as:)`; `QueryError` for a key path that the class's `propertyNames` does not have.
  public func fetch<T: ManagedObject>(
    _ type: T.Type, sort: [FetchSortDescriptor] = [], limit: Int? = nil,
    where condition: (TypedExpression<T>) -> some FetchCondition
  ) throws -> [T] {
    try fetch(type, where: FetchPredicate(for: type, condition), sort: sort, limit: limit)
  }

  /// The objects of a class that meet a condition of Foundation's. One statement.
  /// - Throws: as `fetch(_:as:)`; `QueryError` that names the part of the condition which has no translation.
  public func fetch<T: ManagedObject>(
    _ type: T.Type, _ predicate: Predicate<T>, sort: [FetchSortDescriptor] = [], limit: Int? = nil
  ) throws -> [T] {
    try fetch(type, where: try FetchPredicate(predicate), sort: sort, limit: limit)
  }

  /// How many objects of a class meet a condition.
  /// - Throws: as `count(for:)`.
  public func count<T: ManagedObject>(
    of type: T.Type, where condition: (TypedExpression<T>) -> some FetchCondition
  ) throws -> Int {
    try count(for: FetchRequest(try entity(for: type).name, where: FetchPredicate(for: type, condition)))
  }
}
