public import ObjectModel

extension ManagedObjectModel {
  /// The model's fetch request template of a name, its `$VARIABLE`s replaced.
  ///
  /// - Throws: `QueryError` when there is no such template, its predicate cannot be read, or a
  ///   variable has no value.
  public func fetchRequest(
    fromTemplate name: String, variables: [String: FetchExpression] = [:]
  ) throws(QueryError) -> FetchRequest {
    guard let template = declaration.fetchRequestTemplates.first(where: { $0.name == name }) else {
      throw QueryError(.unknownKey, "the model has no fetch request \(name)")
    }
    let request = try FetchRequest(template)
    return try request.substituting { variables[$0] }
  }
}

extension FetchRequest {
  /// The request that a model's template says, its variables left.
  /// - Throws: `QueryError` when its condition cannot be read.
  public init(_ template: FetchRequestTemplate) throws(QueryError) {
    let text = template.predicateString ?? ""
    self.init(
      template.entityName, where: text.isEmpty ? nil : try FetchPredicate(format: text),
      fetchLimit: template.fetchLimit.flatMap { $0 > 0 ? $0 : nil })
    // The editor writes an attribute only where it is not the default.
    includesSubentities = template.extras["includeSubentities"] != "NO"
    returnsObjectsAsFaults = template.extras["returnObjectsAsFaults"] == "YES"
    returnsDistinctResults = template.extras["returnDistinctResults"] == "YES"
    includesPendingChanges = template.extras["includesPendingChanges"] != "NO"
    resultType =
      switch template.extras["resultType"] {
      case "1": .objectIDs
      case "2": .dictionaries
      case "4": .count
      default: .objects
      }
  }

  /// The request with every variable replaced.
  /// - Throws: `QueryError` with code `missingVariable` for one that the closure knows nothing of.
  package func substituting(
    _ value: (String) throws(QueryError) -> FetchExpression?
  ) throws(QueryError) -> FetchRequest {
    var request = self
    let names = predicate?.variables ?? []
    var values: [String: FetchExpression] = [:]
    for name in names.sorted() {
      guard let known = try value(name) else {
        throw QueryError(.missingVariable, "the variable $\(name) was given no value")
      }
      values[name] = known
    }
    request.predicate = predicate?.substituting { values[$0] }
    return request
  }
}
