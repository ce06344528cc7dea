package import ObjectModel

/// One value of an object whose names have been looked up.
package struct ResolvedKeyPath: Sendable {
  private let value: ResolvedExpression

  /// Resolves the names.
  /// - Throws: `QueryError` when a property is unknown or crosses a to-many relationship.
  package init(_ names: [String], for entity: EntityDescription) throws {
    value = try ResolvedExpression(.keyPath(names), ResolutionScope(entity))
    guard !value.isPlural else {
      throw QueryError(
        .typeMismatch,
        "\(names.joined(separator: ".")) crosses a to-many relationship, where one value is expected")
    }
  }

  package func value(_ object: any QueryObject) throws -> AttributeValue { try value.value([object]) }
}
