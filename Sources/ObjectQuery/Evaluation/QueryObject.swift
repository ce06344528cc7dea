public import ObjectModel

/// An object that a predicate can be evaluated on: a stored row or a managed object.
public protocol QueryObject {
  /// The object's entity.
  var queryEntity: EntityDescription { get }
  /// The object's number in its root entity.
  var queryReference: Int64 { get }
  /// An attribute's value.
  func queryValue(of attribute: AttributeDescription) throws -> AttributeValue
  /// A to-one's destination; nil when there is none.
  func queryDestination(of toOne: RelationshipDescription) throws -> (any QueryObject)?
  /// A to-many's destinations.
  func queryDestinations(of toMany: RelationshipDescription) throws -> [any QueryObject]
}

extension QueryObject {
  /// The value of a key path, as a constant; a list over to-manys.
  ///
  /// - Throws: `QueryError` when a property is unknown, and any error of reading the object.
  package func queryExpression(_ names: [String]) throws -> FetchExpression {
    let path = try ResolvedExpression(.keyPath(names), ResolutionScope(queryEntity))
    if path.isPlural { return .list(try path.values([self]).map(FetchExpression.value)) }
    return .value(try path.value([self]))
  }
}
