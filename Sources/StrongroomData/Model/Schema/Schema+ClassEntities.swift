extension Schema {
  /// The entities of classes, linked to their superentities.
  static func entities(of shapes: [ModelSchema]) -> [Entity] {
    let inverses = try? Inverses(shapes)
    let entities = shapes.map { shape in
      let entity = Entity(
        shape.name, inheriting: [], declaring: shape.own.map { property($0, in: shape, inverses) })
      let marked = shape.properties.map { property($0, in: shape, inverses) }.filter(\.isUnique)
        .map { [$0.name] }
      entity.uniquenessConstraints = marked + names(.unique, in: shape).filter { !marked.contains($0) }
      entity.fetchIndexes = indexes(of: shape)
      return entity
    }
    for (shape, entity) in zip(shapes, entities) {
      guard let parent = shape.parent, let place = shapes.firstIndex(where: { $0 === parent }) else {
        continue
      }
      entities[place].subentities.insert(entity)
    }
    for entity in entities { entity.rememberInherited() }
    return entities
  }

  private static func indexes(of shape: ModelSchema) -> [CodedIndex] {
    [SchemaConstraintPaths.Kind.index, .rTree, .fullText].flatMap { kind in
      names(kind, in: shape).map { CodedIndex(kind: kind, names: $0) }
    }
  }

  private static func names(_ kind: SchemaConstraintPaths.Kind, in shape: ModelSchema) -> [[String]] {
    shape.constraints.flatMap(\.kind).filter { $0.0 == kind }.map {
      $0.1.compactMap { shape.propertyNames[$0] }
    }
  }

  private static func property(
    _ property: PropertySchema, in shape: ModelSchema, _ inverses: Inverses?
  ) -> any SchemaProperty {
    switch property.kind {
    case .attribute(_, let isOptional):
      let attribute = (property.attribute ?? Attribute()).copy()
      attribute.name = property.name
      if attribute.originalName.isEmpty { attribute.originalName = property.name }
      attribute.valueType = property.valueType
      attribute.defaultValue = property.fixedDefault
      attribute.isOptional = isOptional
      return attribute
    case .relationship(let type, _, _):
      let relationship = (property.relationship ?? Relationship()).copy()
      relationship.name = property.name
      if relationship.originalName.isEmpty { relationship.originalName = property.name }
      relationship.valueType = property.valueType
      relationship.destination = ModelSchema.name(type)
      relationship.keypath = property.keyPath
      relationship.inverseName =
        relationship.inverseKeyPath.flatMap { ModelSchema.of(type).propertyNames[$0] }
        ?? inverses?.inverse(of: property.name, in: shape)
      return relationship
    }
  }
}
