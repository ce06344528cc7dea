public import ObjectModel

extension MappingModel {
  /// A mapping model as inference would have it: entities and properties are matched by renaming
  /// identifier, then by name.
  ///
  /// It is a start: what cannot be inferred is left out, and has the default or nothing.
  ///
  /// As `NSMappingModel.inferredMappingModel(forSourceModel:destinationModel:)`, except that it is
  /// made whether or not a store could be migrated without it.
  public static func inferred(from source: ManagedObjectModel, to destination: ManagedObjectModel)
    -> MappingModel
  {
    let pairs = ModelMapping(from: source, to: destination)
    var mappings = destination.entities.filter { !$0.isAbstract }.map { entity in
      pairs.entities[entity.name].map { mapping($0) } ?? added(entity)
    }
    for entity in source.entities where !entity.isAbstract && pairs.new(of: entity) == nil {
      mappings.append(EntityMapping(from: entity.name, to: nil))
    }
    return MappingModel(mappings)
  }

  private static func mapping(_ pair: ModelMapping.EntityMapping) -> EntityMapping {
    let old = pair.old.isAbstract ? nil : pair.old.name
    var mapping = EntityMapping(from: old, to: pair.new.name)
    mapping.attributeMappings = pair.new.attributes.filter { $0.derivation == nil }.map { attribute in
      guard let was = pair.attributes[attribute.index], was.name != attribute.name else {
        return .generated(attribute.name)
      }
      return PropertyMapping(attribute.name, .source(was.name))
    }.sorted { $0.name < $1.name }
    mapping.relationshipMappings = pair.new.relationships.map { relationship in
      guard let was = pair.relationships[relationship.index], was.name != relationship.name else {
        return .generated(relationship.name)
      }
      return .generated(relationship.name, sourceKeyPath: "$source.\(was.name)")
    }.sorted { $0.name < $1.name }
    return mapping
  }

  private static func added(_ entity: EntityDescription) -> EntityMapping {
    var mapping = EntityMapping(from: nil, to: entity.name)
    mapping.attributeMappings = entity.attributes.filter { $0.derivation == nil }.map {
      .generated($0.name)
    }.sorted { $0.name < $1.name }
    mapping.relationshipMappings = entity.relationships.map { .generated($0.name) }.sorted {
      $0.name < $1.name
    }
    return mapping
  }
}
