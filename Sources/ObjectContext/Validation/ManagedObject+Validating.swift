public import ObjectModel

extension ManagedObject {
  /// Judges a value that an attribute, or a to-one as `.reference`, may get, and leaves the object
  /// as it is: for forms, which show what is wrong before the value is set.
  ///
  /// The rules are those that a save asks: the model's, and then `validateValue(_:for:)` of the
  /// object's class. Issues no statement.
  /// - Throws: `ContextError`: `validation` with every rule that the value breaks; `wrongType`,
  ///   `unknownKey`, `derivedAttribute` as `setValue(_:for:)`.
  public final func validate(_ value: AttributeValue, forKey name: String) throws {
    guard let property = entity.property(named: name) else {
      throw ContextError(.unknownKey, "\(entity.name) has no attribute or to-one \(name)")
    }
    switch (property, value) {
    case (.attribute(let attribute), _):
      guard attribute.accepts(value) else {
        throw ContextError(
          .wrongType, "\(entity.name).\(name) takes values of type \(attribute.type.rawValue) only")
      }
      if attribute.derivation != nil {
        throw ContextError(.derivedAttribute, "\(entity.name).\(name) is computed by the store")
      }
    case (.relationship(let relationship), .null), (.relationship(let relationship), .reference):
      guard !relationship.isToMany else {
        throw ContextError(
          .wrongType, "\(entity.name).\(name) is a to-many relationship, which a save validates")
      }
    case (.relationship, _):
      throw ContextError(.wrongType, "\(entity.name).\(name) accepts only objects")
    }
    var validation = Validation(try liveGraph().plans)
    validation.check(value, for: property, of: self)
    try validation.throwFailures("the value is refused")
  }

  /// Judges a Swift value that an attribute may get; nil for none.
  /// - Throws: as `validate(_:for:)` with an attribute's value.
  public final func validate<T: AttributeConvertible>(_ name: String, _ value: T?) throws {
    guard let attribute = entity.attribute(named: name) else {
      throw ContextError(.unknownKey, "\(entity.name) has no attribute \(name)")
    }
    try validate(value?.attributeValue(for: attribute.type) ?? .null, forKey: name)
  }
}
