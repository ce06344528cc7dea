extension Schema {
  /// One class of models in a schema.
  public final class Entity: Sendable {
    private let shape: ModelSchema
    private let inverses: Inverses?
    /// All classes of the schema.
    private let shapes: [ModelSchema]

    init(_ shape: ModelSchema, _ inverses: Inverses? = nil, among shapes: [ModelSchema]) {
      self.shape = shape
      self.inverses = inverses
      self.shapes = shapes
    }

    /// The name: the class's.
    public var name: String { shape.name }
    /// The entity of the superclass, where that is a model too.
    public var superentity: Entity? { shape.parent.map { Entity($0, inverses, among: shapes) } }
    /// The name of the entity of the superclass.
    public var superentityName: String? { shape.parent?.name }
    /// The entities of the schema whose classes inherit from this one's without another model
    /// between.
    public var subentities: Set<Entity> {
      Set(shapes.filter { $0.parent === shape }.map { Entity($0, inverses, among: shapes) })
    }
    /// All properties, inherited ones first.
    public var properties: [any SchemaProperty] {
      shape.properties.map { property in
        guard var relationship = Self.property(property) as? Relationship, relationship.inverseName == nil
        else {
          return Self.property(property)
        }
        var declaring: ModelSchema? = shape
        while let next = declaring, relationship.inverseName == nil {
          relationship.inverseName = inverses?.inverse(of: property.name, in: next)
          declaring = next.parent
        }
        return relationship
      }
    }
    /// All attributes by their name.
    public var attributesByName: [String: Attribute] {
      Dictionary(attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
    /// All relationships by their name.
    public var relationshipsByName: [String: Relationship] {
      Dictionary(relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
    /// All attributes.
    public var attributes: [Attribute] { properties.compactMap { $0 as? Attribute } }
    /// All relationships.
    public var relationships: [Relationship] { properties.compactMap { $0 as? Relationship } }
    /// The properties that the class declares itself.
    public var storedProperties: [any SchemaProperty] {
      let inherited = Set(shape.parent?.properties.map(\.name) ?? [])
      return properties.filter { !inherited.contains($0.name) }
    }
    /// The properties that the class declares itself, by their name.
    public var storedPropertiesByName: [String: any SchemaProperty] {
      Dictionary(storedProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
    /// The properties that superclasses declare.
    public var inheritedProperties: [any SchemaProperty] {
      let inherited = Set(shape.parent?.properties.map(\.name) ?? [])
      return properties.filter { inherited.contains($0.name) }
    }
    /// The properties that superclasses declare, by their name.
    public var inheritedPropertiesByName: [String: any SchemaProperty] {
      Dictionary(inheritedProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
    /// The names of the properties of each uniqueness constraint of the class itself.
    public var uniquenessConstraints: [[String]] {
      let marked = properties.filter(\.isUnique).map { [$0.name] }
      return marked + names(.unique).filter { !marked.contains($0) }
    }
    /// The names of the properties of each index of the class itself.
    public var indices: [[String]] { names(.index) + names(.rTree) + names(.fullText) }

    private func names(_ kind: SchemaConstraintPaths.Kind) -> [[String]] {
      shape.constraints.flatMap(\.kind).filter { $0.0 == kind }.map {
        $0.1.compactMap { shape.propertyNames[$0] }
      }
    }

    private static func property(_ property: PropertySchema) -> any SchemaProperty {
      switch property.kind {
      case .attribute(_, let isOptional):
        var attribute = property.attribute ?? Attribute()
        attribute.name = property.name
        if attribute.originalName.isEmpty { attribute.originalName = property.name }
        attribute.valueType = property.valueType
        attribute.isOptional = isOptional
        return attribute
      case .relationship(let type, let isToMany, let isOptional):
        var relationship = property.relationship ?? Relationship()
        relationship.name = property.name
        if relationship.originalName.isEmpty { relationship.originalName = property.name }
        relationship.valueType = property.valueType
        relationship.destination = ModelSchema.name(type)
        relationship.isOptional = isOptional
        relationship.isToOneRelationship = !isToMany
        if let path = relationship.inverseKeyPath {
          relationship.inverseName = ModelSchema.of(type).propertyNames[path]
        }
        return relationship
      }
    }
  }
}

extension Schema.Entity: Hashable {
  /// The same class.
  public static func == (left: Schema.Entity, right: Schema.Entity) -> Bool { left.shape === right.shape }
  /// Hashes the class.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(shape)) }
}
