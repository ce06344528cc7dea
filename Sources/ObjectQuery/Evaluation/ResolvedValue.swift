package import ObjectModel

/// An expression about objects that variables name, such as `$source.author.name`, whose names have
/// been looked up.
package struct ResolvedValue: Sendable {
  private let expression: ResolvedExpression

  /// Resolves the names.
  /// - Parameters:
  ///   - expression: The expression; a key path without a variable begins at the first object.
  ///   - variables: The variables with the entities of their objects; one at least.
  /// - Throws: `QueryError` when a property or a variable is unknown, or the expression has several
  ///   values.
  package init(
    _ expression: FetchExpression, about variables: [(name: String, entity: EntityDescription)]
  ) throws {
    guard let first = variables.first else {
      throw QueryError(.missingVariable, "there is no object that the expression could be about")
    }
    var scope = ResolutionScope(first.entity)
    for variable in variables { scope = scope.adding(variable.name, variable.entity) }
    self.expression = try ResolvedExpression(expression, scope)
    guard !self.expression.isPlural else {
      throw QueryError(.typeMismatch, "the expression has several values, where one is expected")
    }
  }

  /// The value.
  /// - Parameter objects: The objects of the variables, in their order.
  /// - Returns: The value; `.reference` for an object.
  /// - Throws: What reading the objects throws.
  package func value(_ objects: [any QueryObject]) throws -> AttributeValue {
    guard let first = objects.first else { return .null }
    return try expression.value([first] + objects)
  }
}

/// The objects at the end of a key path whose names have been looked up.
package struct ResolvedDestinations: Sendable {
  private let steps: ResolvedSteps

  /// Whether the path crosses a to-many relationship.
  package var isPlural: Bool { steps.isPlural }
  /// The entity of the objects.
  package let entity: EntityDescription

  /// Resolves the names; nil when the path ends in a value.
  /// - Throws: `QueryError` when a property is unknown.
  package init?(_ names: [String], from entity: EntityDescription) throws {
    steps = try ResolvedSteps(names, from: entity)
    guard let destination = steps.destination else { return nil }
    self.entity = destination
  }

  /// The objects, in the order of the relationships; one as often as a path leads to it.
  /// - Throws: What reading the objects throws.
  package func objects(of object: any QueryObject) throws -> [any QueryObject] {
    try steps.objects(of: object)
  }
}
