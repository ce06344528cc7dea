import Foundation

/// A node that may read a property of an object; the other side of a comparison must then have the
/// property's stored form.
protocol PropertyNode {
  /// The type that the key path begins at, and the key path.
  var property: (type: Any.Type, keyPath: AnyKeyPath)? { get }
}

extension PredicateExpressions.KeyPath: PropertyNode {
  var property: (type: Any.Type, keyPath: AnyKeyPath)? { (Root.Output.self, keyPath) }
}

extension PredicateExpressions.OptionalFlatMap: PropertyNode {
  var property: (type: Any.Type, keyPath: AnyKeyPath)? { (transform as? any PropertyNode)?.property }
}

extension PredicateExpressions.ForcedUnwrap: PropertyNode {
  var property: (type: Any.Type, keyPath: AnyKeyPath)? { (inner as? any PropertyNode)?.property }
}

extension PredicateExpressions.NilCoalesce: PropertyNode {
  var property: (type: Any.Type, keyPath: AnyKeyPath)? { (lhs as? any PropertyNode)?.property }
}

extension PredicateExpressions.Conditional: PropertyNode {
  var property: (type: Any.Type, keyPath: AnyKeyPath)? {
    (trueBranch as? any PropertyNode)?.property ?? (falseBranch as? any PropertyNode)?.property
  }
}
