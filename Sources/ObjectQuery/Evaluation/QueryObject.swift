public import ObjectModel

/// What a predicate can be asked of: a stored row or a managed object.
public protocol QueryObject {
  /// The object's entity.
  var queryEntity: EntityDescription { get }
  /// The object's number in its root entity.
  var queryReference: Int64 { get }
  /// An attribute's value.
  func queryValue(of attribute: AttributeDescription) throws -> AttributeValue
  /// What a to-one leads to.
  func queryDestination(of toOne: RelationshipDescription) throws -> (any QueryObject)?
  /// What a to-many leads to.
  func queryDestinations(of toMany: RelationshipDescription) throws -> [any QueryObject]
}

extension QueryObject {
  /// What lies at the end of a key path, as a constant; a list over to-manys.
  /// - Throws: `QueryError` when a property is unknown, and what reading throws.
  package func queryExpression(_ names: [String]) throws -> FetchExpression {
    let path = try ResolvedExpression(.keyPath(names), ResolutionScope(queryEntity))
    if path.isPlural { return .list(try path.values([self]).map(FetchExpression.value)) }
    return .value(try path.value([self]))
  }
}
