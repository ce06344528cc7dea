/// A property of a schema with the kind that it is.
enum CodedSchemaProperty: Codable {
  case attribute(Schema.Attribute)
  case composite(Schema.CompositeAttribute)
  case relationship(Schema.Relationship)

  /// Nil for a property of another kind.
  init?(_ property: any SchemaProperty) {
    switch property {
    case let composite as Schema.CompositeAttribute: self = .composite(composite)
    case let attribute as Schema.Attribute: self = .attribute(attribute)
    case let relationship as Schema.Relationship: self = .relationship(relationship)
    default: return nil
    }
  }

  var property: any SchemaProperty {
    switch self {
    case .attribute(let attribute): attribute
    case .composite(let composite): composite
    case .relationship(let relationship): relationship
    }
  }
}
