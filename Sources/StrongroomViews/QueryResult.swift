public import StrongroomData

/// What a `Query` can be declared as: an array of models, or a collection that makes them as they are
/// looked at.
public protocol QueryResult {
  associatedtype Element: PersistentModel
  /// Has the models of results.
  init(_ results: FetchResultsCollection<Element>)
}

/// Every model is made when the array is first read after a change.
extension Array: QueryResult where Element: PersistentModel {}

/// Models are made as they are looked at: for long lists.
extension FetchResultsCollection: QueryResult where Element: PersistentModel {
  /// The same results.
  public init(_ results: FetchResultsCollection<Element>) { self = results }
}
