public import Foundation
import ObjectModel

/// One column of a dictionary result.
public struct ExpressionDescription: Sendable, Hashable, Codable {
  /// The key in the dictionaries.
  public var name: String
  /// The value: a property, through to-ones and with collection operators if need be, or what is
  /// computed of some.
  public var expression: FetchExpression
  /// The function; nil for the value itself.
  public var aggregate: FetchAggregate?

  /// A column of values, or of a function of them.
  ///
  /// An empty path is the object itself.
  public init(_ dotted: String, aggregate: FetchAggregate? = nil, as name: String? = nil) {
    expression = dotted.isEmpty ? .selfObject : .path(dotted)
    self.aggregate = aggregate
    self.name = name ?? aggregate.map { "\($0.rawValue)_\(dotted)" } ?? dotted
  }

  /// A column of what an expression computes, or of a function of that:
  /// `ExpressionDescription("total", .function(.multiply, …))`.
  public init(_ name: String, _ expression: FetchExpression, aggregate: FetchAggregate? = nil) {
    self.name = name
    self.expression = expression
    self.aggregate = aggregate
  }

  /// The names of the property that the column is; nil for what is computed.
  package var keyPath: [String]? {
    switch expression {
    case .selfObject: []
    case .keyPath(let names): names
    default: nil
    }
  }
}

/// Which objects to fetch, in what order, and as what result.
///
/// As `NSFetchRequest`.
public struct FetchRequest: Sendable, Hashable, Codable {
  /// The shape of a result.
  public enum ResultType: String, Sendable, Hashable, Codable {
    /// Objects.
    case objects
    /// Their IDs.
    case objectIDs
    /// Dictionaries of the columns asked for.
    case dictionaries
    /// Their number.
    case count
  }

  /// The entity.
  public var entityName: String
  /// The condition; nil for all.
  public var predicate: FetchPredicate?
  /// A search whose matches come in the order of their rank, before `sortDescriptors`, by the
  /// statistics of all rows of the index (BM25: Robertson and Zaragoza, The Probabilistic Relevance
  /// Framework, 2009, with k1 1.2 and b 0.75).
  ///
  /// Ignores unsaved changes.
  public var search: TextSearch?
  /// The order; objects that compare equal come in the order they were inserted.
  public var sortDescriptors: [FetchSortDescriptor]
  /// The greatest number of objects; nil, or 0 as in Core Data, for no limit.
  ///
  /// As `NSFetchRequest.fetchLimit`; SQL's `LIMIT`.
  public var fetchLimit: Int?
  /// The number of objects to skip.
  ///
  /// As `NSFetchRequest.fetchOffset`; SQL's `OFFSET`.
  public var fetchOffset: Int
  /// Whether objects of subentities come too.
  public var includesSubentities = true
  /// Whether unsaved changes of the context are included.
  public var includesPendingChanges = true
  /// Whether only IDs are read first, and each batch of rows when it is first needed.
  public var returnsObjectsAsFaults = false
  /// The number of rows read at a time: IDs first, then the page of an object when it is first
  /// accessed.
  ///
  /// 0 for all at once. One statement, and one more for each page that is needed.
  public var fetchBatchSize = 0
  /// Relationships, as dotted key paths, whose destinations are prefetched: a statement or two for
  /// each step of a path, whatever the number of objects.
  public var relationshipKeyPathsForPrefetching: [String] = []
  /// The shape of the result, as `NSFetchRequest.resultType`.
  ///
  /// Stores and templates read it. A context sets it by the method that is called: `fetch`,
  /// `count(for:)`, `fetchObjectIDs` or `fetchDictionaries`.
  public var resultType = ResultType.objects
  /// The columns of a dictionary result; nil for all attributes.
  ///
  /// For objects, the attributes and to-ones that are read: the others of an object that was a
  /// fault are read when one of them is first looked at.
  public var propertiesToFetch: [ExpressionDescription]?
  /// Key paths, or names of computed columns, whose values make the groups of a dictionary result,
  /// which come in the order of these values.
  public var propertiesToGroupBy: [String] = []
  /// The condition that a group must meet.
  ///
  /// Key paths in it are names of columns; functions over many values, such as `sum(pages)`, are
  /// taken over the group whether they are columns or not.
  public var havingPredicate: FetchPredicate?
  /// Whether equal dictionaries come once.
  public var returnsDistinctResults = false
  /// Whether registered objects without changes take the values just read.
  ///
  /// Without it such an object takes a new row only when the version differs.
  public var shouldRefreshRefetchedObjects = false
  /// The stores to fetch from, by their UUIDs; nil for the one that stores the entity.
  ///
  /// A request without any of them finds nothing.
  public var affectedStores: [UUID]?

  /// Makes a request.
  public init(
    _ entityName: String, where predicate: FetchPredicate? = nil, sortDescriptors: [FetchSortDescriptor] = [],
    fetchLimit: Int? = nil,
    fetchOffset: Int = 0
  ) {
    self.entityName = entityName
    self.predicate = predicate
    self.sortDescriptors = sortDescriptors
    self.fetchLimit = fetchLimit
    self.fetchOffset = fetchOffset
  }

  /// The greatest number of objects; nil where `fetchLimit` sets none.
  ///
  /// For stores that limit a result themselves.
  public var effectiveFetchLimit: Int? { fetchLimit.flatMap { $0 > 0 ? $0 : nil } }

  /// The part of a whole result that `fetchLimit` and `fetchOffset` select.
  package func page<T>(of whole: some Collection<T>) -> [T] {
    let rest = whole.dropFirst(max(fetchOffset, 0))
    return Array(effectiveFetchLimit.map { rest.prefix($0) } ?? rest[...])
  }
}
