import ObjectContext
import ObjectModel

/// Which classes show the objects of which entities.
extension ContainerCore {
  /// The entity of a class; nil when it is not in the schema, or is not bound to it yet.
  func entity(of type: any PersistentModel.Type) -> EntityDescription? {
    guard let binding = schema.binding else { return entities[ObjectIdentifier(type)] }
    return binding.entityName(of: type).flatMap(engine.managedObjectModel.entity)
  }

  /// The entity of a class, which is bound to it where the schema was made by hand.
  /// - Throws: `SwiftDataError.unknownSchema` when it is not in the schema, or differs from the entity of
  ///   its name.
  func entity(for type: any PersistentModel.Type) throws -> EntityDescription {
    if !bindsClasses, let entity = entities[ObjectIdentifier(type)] { return entity }
    if let binding = schema.binding {
      let model = engine.managedObjectModel
      try binding.bind(type) { name in
        let declared = model.entity(named: name)?.declaration
        return (declared?.attributes.map(\.name) ?? []) + (declared?.relationships.map(\.name) ?? [])
      }
    }
    if let entity = entity(of: type) { return entity }
    throw SwiftDataError(
      .unknownSchema,
      "\(type) is not in the container's schema; add it: ModelContainer(for: \(ModelSchema.name(type)).self)")
  }

  /// The class of an entity's models; nil where none is known.
  func type(of entity: EntityDescription) -> (any PersistentModel.Type)? {
    guard bindsClasses, let binding = schema.binding else { return types[entity.index] }
    return binding.shape(named: entity.name)?.type
  }

  /// The class of an entity's models; nil where none is known.
  func type(named name: String) -> (any PersistentModel.Type)? {
    engine.managedObjectModel.entity(named: name).flatMap(type)
  }

  /// The shape of the class of an entity's models; nil where none is known.
  func shape(of entity: EntityDescription) -> ModelSchema? { type(of: entity).map(ModelSchema.of) }

  /// The class of an object that no context has, whose entity has the name of its class.
  ///
  /// Of a schema made by hand, the class of that name that the program used last may be the one that is
  /// bound.
  func type(ofDetached object: ModelObject) -> (any PersistentModel.Type)? {
    if let type = type(named: object.entity.name) { return type }
    return schema.isHandMade ? ModelSchema.made(named: object.entity.name).last?.type : nil
  }

  /// The class of an entity's models.
  /// - Throws: `SwiftDataError.unknownSchema` where none is known.
  func knownType(of entity: EntityDescription) throws -> any PersistentModel.Type {
    if let type = type(of: entity) { return type }
    throw SwiftDataError(
      .unknownSchema,
      "the class of the entity \(entity.name) is not known; list it: Schema(…, classes:"
        + " [\(entity.name).self])")
  }

  /// The classes by the entity's index, `Never` for one that is not known.
  var presentedTypes: [Any.Type] {
    if schema.binding == nil { return types }
    return engine.managedObjectModel.entities.map { entity -> Any.Type in
      if let type = type(of: entity) { type } else { Never.self }
    }
  }

  /// How many classes are known: a number that only grows, and for a schema of classes never changes.
  var knownTypeCount: Int { schema.binding?.count ?? types.count }
}
