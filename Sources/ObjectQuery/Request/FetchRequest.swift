import ObjectModel

/// One column of a dictionary result.
public struct FetchColumn: Sendable, Hashable, Codable {
  /// The key in the dictionaries.
  public var name: String
  /// The attribute, through to-ones and with collection operators if need be; empty for the object itself.
  public var keyPath: [String]
  /// The function; nil for the value itself.
  public var aggregate: FetchAggregate?

  /// A column of values, or of a function of them.
  public init(_ dotted: String, aggregate: FetchAggregate? = nil, as name: String? = nil) {
    keyPath = dotted.keyPathNames()
    self.aggregate = aggregate
    self.name = name ?? aggregate.map { "\($0.rawValue)_\(dotted)" } ?? dotted
  }
}

/// Which objects to fetch, in what order, and in what shape.
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
  /// The order; objects that it leaves level come in the order they were inserted.
  public var sort: [FetchSort]
  /// The greatest number of objects; nil for no limit.
  public var limit: Int?
  /// How many to leave out first.
  public var offset: Int
  /// Whether objects of subentities come too.
  public var includesSubentities = true
  /// Whether unsaved changes of the context count.
  public var includesPendingChanges = true
  /// Whether only IDs are read, and each batch of rows when first needed.
  public var returnsObjectsAsFaults = false
  /// How many rows are read at a time: IDs first, then the page of an object when it is first looked at. 0 for all at
  /// once. One statement, and one for each page that is needed.
  public var fetchBatchSize = 0
  /// Relationships, as dotted key paths, whose targets are read along: a statement or two for each step of a path,
  /// whatever the number of objects.
  public var relationshipKeyPathsForPrefetching: [String] = []
  /// The shape of the result.
  public var resultType = ResultType.objects
  /// The columns of a dictionary result; nil for all attributes.
  public var propertiesToFetch: [FetchColumn]?
  /// Key paths whose values make the groups of a dictionary result, which come in the order of these values.
  public var propertiesToGroupBy: [String] = []
  /// Whether equal dictionaries come once.
  public var returnsDistinctResults = false

  /// Makes a request.
  public init(
    _ entityName: String, where predicate: FetchPredicate? = nil, sort: [FetchSort] = [], limit: Int? = nil,
    offset: Int = 0
  ) {
    self.entityName = entityName
    self.predicate = predicate
    self.sort = sort
    self.limit = limit
    self.offset = offset
  }
}
