public import ObjectModel
package import ObjectQuery

/// Lets a store skip decoding rows that the calling context already has in the same version.
public protocol NodeLookup {
  /// The registered node of an object, if any. Stores return it in place of a new one when its
  /// version is current.
  func registeredNode(_ root: EntityDescription, _ reference: Int64) -> IncrementalStoreNode?
}

extension FetchRequest {
  /// The same request with another type of result.
  package func returning(_ type: ResultType) -> FetchRequest {
    if resultType == type { return self }
    var request = self
    request.resultType = type
    return request
  }

  /// Whether each object is a row of its own: there are no groups, no aggregates, and equal rows stay.
  var hasRowForEachObject: Bool {
    propertiesToGroupBy.isEmpty && havingPredicate == nil && !returnsDistinctResults
      && propertiesToFetch?.contains { $0.aggregate != nil } != true
  }
}
