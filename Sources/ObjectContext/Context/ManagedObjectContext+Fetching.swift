public import Foundation
public import ObjectModel
public import ObjectQuery
public import StoreContract

extension ManagedObjectContext {
  /// The objects of a request, unsaved changes of this context included unless it says not to.
  ///
  /// One statement; registered objects keep their changes.
  /// - Throws: `StoreError` when the store refuses, `wrongType` for objects of another class.
  public func fetch<T: ManagedObject>(
    _ request: FetchRequest, as type: T.Type = ManagedObject.self
  ) throws -> [T] {
    try graph.fetching.fetch(request, as: type)
  }

  /// The objects of the entity a class is registered for.
  ///
  /// One statement.
  /// - Throws: as `fetch(_:as:)`.
  public func fetch<T: ManagedObject>(
    _ type: T.Type, where predicate: FetchPredicate? = nil, sortDescriptors: [FetchSortDescriptor] = [],
    fetchLimit: Int? = nil
  ) throws -> [T] {
    let request = FetchRequest(
      try graph.entity(for: type).name, where: predicate, sortDescriptors: sortDescriptors,
      fetchLimit: fetchLimit)
    return try fetch(request, as: type)
  }

  /// The objects of a class that meet a condition: `fetch(Book.self) { $0.pages > 300 }`.
  ///
  /// The closure runs once, to write the condition down. One statement.
  /// - Throws: as `fetch(_:as:)`; `QueryError` for a key path that the class's `propertyNames` does not have.
  public func fetch<T: ManagedObject>(
    _ type: T.Type, sortDescriptors: [FetchSortDescriptor] = [], fetchLimit: Int? = nil,
    where condition: (TypedExpression<T>) -> some FetchCondition
  ) throws -> [T] {
    try fetch(
      type, where: FetchPredicate(for: type, condition), sortDescriptors: sortDescriptors,
      fetchLimit: fetchLimit)
  }

  /// The objects of a class that meet a condition of Foundation's.
  ///
  /// One statement.
  /// - Throws: as `fetch(_:as:)`; `QueryError` that names the part of the condition which has no translation.
  public func fetch<T: ManagedObject>(
    _ type: T.Type, _ predicate: Predicate<T>, sortDescriptors: [FetchSortDescriptor] = [],
    fetchLimit: Int? = nil
  ) throws -> [T] {
    try fetch(
      type, where: try FetchPredicate(predicate), sortDescriptors: sortDescriptors, fetchLimit: fetchLimit)
  }

  /// The objects of a request, read on another thread while this isolation goes on.
  ///
  /// Cancelling the task interrupts the statement. One statement, and one more each time that unsaved changes
  /// began or ended meanwhile; objects changed meanwhile are matched as they are at the end.
  /// - Parameters:
  ///   - request: What to fetch.
  ///   - type: The class of the objects.
  ///   - isolation: The context's isolation.
  ///   - progress: Called on another thread with the rows read so far, every few hundred and at the end.
  /// - Returns: The objects, in the request's order.
  /// - Throws: as `fetch(_:as:)`; `CancellationError` when the task was cancelled.
  public func fetchAsynchronously<T: ManagedObject>(
    _ request: FetchRequest, as type: T.Type = ManagedObject.self,
    isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (Int) -> Void)? = nil
  ) async throws -> [T] {
    try await graph.fetching.fetchAsynchronously(request, as: type, isolation: isolation, progress: progress)
  }

  /// The number of objects that a request matches.
  ///
  /// One statement; where unsaved changes count, the request is fetched.
  /// - Throws: `StoreError` when the store refuses.
  public func count(for request: FetchRequest) throws -> Int { try graph.fetching.count(for: request) }

  /// The number of objects of a class that meet a condition.
  /// - Throws: as `count(for:)`.
  public func count<T: ManagedObject>(
    of type: T.Type, where condition: (TypedExpression<T>) -> some FetchCondition
  ) throws -> Int {
    try count(
      for: FetchRequest(try graph.entity(for: type).name, where: FetchPredicate(for: type, condition)))
  }

  /// The rows of a request as dictionaries, with aggregates and groups.
  ///
  /// Ignores unsaved changes. One statement.
  /// - Throws: `StoreError` when the store refuses.
  public func fetchDictionaries(_ request: FetchRequest) throws -> [[String: AttributeValue]] {
    try graph.fetching.fetchDictionaries(request)
  }

  /// The IDs of a request's objects, unsaved changes included unless it says not to; new ones' are temporary.
  ///
  /// One statement; no object is made, unless unsaved changes count.
  /// - Throws: `StoreError` when the store refuses.
  public func fetchObjectIDs(_ request: FetchRequest) throws -> [ManagedObjectID] {
    try graph.fetching.fetchObjectIDs(request)
  }

  /// How a request is answered: the SQL, SQLite's plan, and the indexes that would help.
  ///
  /// Ignores unsaved changes. Two statements; no row is read.
  /// - Throws: as the fetch.
  public func queryPlan(for request: FetchRequest) throws -> QueryPlan {
    try persistentStoreCoordinator.store(forEntityNamed: request.entityName).queryPlan(for: request)
  }
}
