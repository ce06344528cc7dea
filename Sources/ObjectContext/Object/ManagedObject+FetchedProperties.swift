import ObjectModel
import ObjectQuery

extension ManagedObject {
  /// The objects of a fetched property: its request, fetched at every call, with the object as
  /// `$FETCH_SOURCE` and the property as `$FETCHED_PROPERTY`.
  ///
  /// One statement.
  /// - Throws: `unknownKey` when the entity has no such fetched property, `QueryError` when its
  ///   condition cannot be read or names another variable, and what fetching throws.
  public final func fetchedObjects(_ name: String) throws -> [ManagedObject] {
    guard let property = entity.fetchedProperty(named: name) else {
      throw ContextError(.unknownKey, "\(entity.name) has no fetched property \(name)")
    }
    let graph = try liveGraph()
    var request = try FetchRequest(property.fetchRequest)
    request.resultType = .objects
    var known: [String: FetchExpression] = ["FETCHED_PROPERTY": .value(.string(name))]
    for variable in request.predicate?.variables ?? [] {
      let names = variable.keyPathNames()
      guard names.first == "FETCH_SOURCE" else { continue }
      known[variable] =
        names.count == 1 ? .value(.reference(reference)) : try queryExpression(Array(names.dropFirst()))
    }
    return try graph.fetching.fetch(request.substituting { known[$0] })
  }
}
