package import ObjectModel

/// What the names of a predicate stand for: the object's entity, and one more for each enclosing
/// subquery.
package struct ResolutionScope: Sendable {
  /// The object's entity first, then those of the subqueries' elements.
  package private(set) var entities: [EntityDescription]
  private(set) var variableNames: [String] = []
  private let variables: [String: AttributeValue]

  package init(_ entity: EntityDescription, variables: [String: AttributeValue] = [:]) {
    entities = [entity]
    self.variables = variables
  }

  /// The scope inside a subquery.
  package func adding(_ variable: String, _ entity: EntityDescription) -> ResolutionScope {
    var inner = self
    inner.entities.append(entity)
    inner.variableNames.append(variable)
    return inner
  }

  /// What a variable is.
  package enum Meaning {
    /// The object at an index of `entities`, and the properties to follow from it.
    case object(Int, [String])
    case value(AttributeValue)
  }

  /// - Throws: `QueryError` with code `missingVariable`.
  package func meaning(of variable: String) throws(QueryError) -> Meaning {
    let parts = variable.keyPathNames(keepingEmpty: true)
    if let place = variableNames.lastIndex(of: parts[0]) {
      return .object(place + 1, Array(parts.dropFirst()))
    }
    guard let value = variables[variable] else {
      throw QueryError(.missingVariable, "the variable $\(variable) was given no value")
    }
    return .value(value)
  }

  /// The object a collection's path begins at, and its names.
  /// - Throws: `QueryError` when an expression is no path.
  package func path(of expression: FetchExpression) throws(QueryError) -> (scope: Int, names: [String]) {
    switch expression {
    case .keyPath(let names): return (0, names)
    case .variable(let name):
      if case .object(let place, let names) = try meaning(of: name), !names.isEmpty { return (place, names) }
    default: break
    }
    throw QueryError(.typeMismatch, "a key path over a to-many relationship is expected")
  }
}
