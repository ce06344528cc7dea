import ObjectModel

/// Whether a class can show the objects of an entity made by hand.
///
/// What differs in names, kinds, types or optionality makes it unfit. Constraints, indexes, default
/// values and delete rules are the entity's own affair.
struct ClassFit {
  let entity: Schema.Entity
  let shape: ModelSchema

  /// Each difference in a sentence; none for a class that fits.
  var differences: [String] {
    var found: [String] = []
    if entity.superentityName != shape.parent?.name {
      found.append(
        "\(shape.name) inherits from \(shape.parent?.name ?? "no model"), and the entity from"
          + " \(entity.superentityName ?? "none")")
    }
    let own = Dictionary(shape.own.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let stored = entity.storedPropertiesByName
    for name in stored.keys.sorted() where own[name] == nil {
      found.append("the class has no property \(name)")
    }
    for property in shape.own {
      guard let described = stored[property.name] else {
        found.append("the entity has no property \(property.name)")
        continue
      }
      if let difference = Self.difference(described, property) {
        found.append("\(shape.name).\(property.name) \(difference)")
      }
    }
    return found
  }

  private static func difference(_ described: any SchemaProperty, _ property: PropertySchema) -> String? {
    switch (described, property.kind) {
    case (let attribute as Schema.Attribute, .attribute(let type, let isOptional)):
      difference(attribute, property, type, isOptional)
    case (let relationship as Schema.Relationship, .relationship(let type, let isToMany, let isOptional)):
      difference(relationship, ModelSchema.name(type), isToMany, isOptional)
    case (_, .attribute): "is an attribute in the class, and none in the entity"
    case (_, .relationship): "is a relationship in the class, and none in the entity"
    }
  }

  private static func difference(
    _ attribute: Schema.Attribute, _ property: PropertySchema, _ type: AttributeType, _ isOptional: Bool
  ) -> String? {
    if let issue = property.issue { return "cannot be stored: \(issue)" }
    let form = PropertySchema.form(attribute.valueType, attribute)
    let isTransformed = type == .transformable && attribute.transformerName == nil
    if form.type != type || isTransformed && unwrapped(attribute.valueType) != unwrapped(property.valueType) {
      return "is of type \(property.valueType) in the class, and of type \(attribute.valueType) in the entity"
    }
    if attribute.transformerName != property.attribute?.transformerName {
      return "has another transformer in the class than in the entity"
    }
    if attribute.isTransient != (property.attribute?.isTransient ?? false) {
      return "is ephemeral in one of class and entity only"
    }
    return attribute.isOptional == isOptional ? nil : "is optional in one of class and entity only"
  }

  private static func difference(
    _ relationship: Schema.Relationship, _ destination: String, _ isToMany: Bool, _ isOptional: Bool
  ) -> String? {
    if relationship.destinationName != destination {
      return "leads to \(destination) in the class, and to \(relationship.destinationName) in the entity"
    }
    if relationship.isToOneRelationship == isToMany {
      return "is to many in one of class and entity only"
    }
    return isToMany || relationship.isOptional == isOptional
      ? nil : "is optional in one of class and entity only"
  }

  private static func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any AnyOptional.Type).map { unwrapped($0.wrapped) } ?? type
  }
}
