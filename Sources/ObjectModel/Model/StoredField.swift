/// What a row stores in one of its fields.
public enum StoredField: Sendable, Hashable {
  /// An attribute's value.
  case attribute(AttributeDescription)
  /// A to-one's destination.
  case toOne(RelationshipDescription)

  /// The property.
  package var property: PropertyDescription {
    switch self {
    case .attribute(let attribute): .attribute(attribute)
    case .toOne(let relationship): .relationship(relationship)
    }
  }

  /// The property's name.
  package var name: String { property.name }
  /// The index in the entity's properties.
  package var propertyIndex: Int { property.index }
  /// The entity that declares it.
  package var declaringEntity: EntityDescription { property.declaringEntity }

  /// Whether null may be saved.
  package var isOptional: Bool {
    switch self {
    case .attribute(let attribute): attribute.isOptional
    case .toOne(let relationship): relationship.isOptional
    }
  }

  /// The same in an entity and its subentities.
  package var identity: ObjectIdentifier {
    switch self {
    case .attribute(let attribute): ObjectIdentifier(attribute)
    case .toOne(let relationship): ObjectIdentifier(relationship)
    }
  }
}
