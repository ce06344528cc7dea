/// Which entities and properties of a new version of a model correspond to which of the old one, as
/// far as this can be inferred.
///
/// They are matched by the rule of `ModelDifferences`, properties with those that each entity
/// inherits, so that one may move to a superentity or away from it.
public struct ModelMapping: Sendable {
  /// One entity of the new version, and what was there.
  public struct EntityMapping: Sendable {
    /// The entity as it is.
    public let new: EntityDescription
    /// The entity that it was.
    public let old: EntityDescription
    /// The attribute that each attribute was, by property index.
    public let attributes: [Int: AttributeDescription]
    /// The relationship that each relationship was, by property index.
    public let relationships: [Int: RelationshipDescription]
  }

  /// By the new entity's name; entities that are new are not there.
  public let entities: [String: EntityMapping]
  /// What stands in the way of moving the data over, in words; none where all can be inferred.
  public private(set) var obstacles: [String] = []

  /// Compares two versions.
  public init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
    let pairs = ModelDifferences.match(
      old.entities.map(\.declaration), new.entities.map(\.declaration), name: \.name,
      identifier: \.renamingIdentifier)
    var found: [String: EntityMapping] = [:]
    for (index, place) in pairs {
      let mapping = EntityMapping(new: new.entities[index], old: old.entities[place])
      found[mapping.new.name] = mapping
    }
    entities = found
    if found.isEmpty, !old.entities.isEmpty { obstacles.append("it has none of the store's entities") }
    for entity in new.entities where entity.superentity == nil { checkRoots(entity) }
    for entity in new.entities {
      if let mapping = found[entity.name] { check(mapping) }
    }
  }

  /// What a relationship was; where it was declared by subentities, in the first of them.
  public func old(of relationship: RelationshipDescription) -> RelationshipDescription? {
    for entity in relationship.entity.hierarchy {
      if let old = entities[entity.name]?.relationships[relationship.index] { return old }
    }
    return nil
  }

  /// Numbers are given out by root entity, so what comes together must have been together.
  private mutating func checkRoots(_ root: EntityDescription) {
    let roots = oldRoots(root)
    guard roots.count > 1 else { return }
    let names = roots.map(\.name).sorted().joined(separator: " and ")
    obstacles.append("\(root.name) would hold the objects of \(names), which were apart")
  }

  private func oldRoots(_ root: EntityDescription) -> Set<EntityDescription> {
    Set(root.hierarchy.compactMap { entities[$0.name]?.old.root })
  }

  private mutating func check(_ mapping: EntityMapping) {
    let name = mapping.new.name
    for attribute in mapping.new.attributes where attribute.entity === mapping.new && attribute.field >= 0 {
      guard let old = mapping.attributes[attribute.index], old.field >= 0 else { continue }
      if !attribute.type.holds(old.type) {
        obstacles.append(
          "\(name).\(attribute.name) was \(old.type.rawValue) and is \(attribute.type.rawValue)")
      }
    }
    for relationship in mapping.new.relationships where !relationship.isTransient {
      guard let old = mapping.relationships[relationship.index] else { continue }
      if relationship.isToMany, self.old(of: relationship) !== old {
        obstacles.append("\(relationship.entity.name).\(relationship.name) would join several relationships")
      }
      if relationship.entity !== mapping.new { continue }
      if let inverse = relationship.inverse, !relationship.isToMany, !inverse.isToMany, old.inverse == nil,
        self.old(of: inverse) == nil
      {
        obstacles.append("\(name).\(relationship.name) led to one from any number and becomes one-to-one")
      }
      if old.isToMany, !relationship.isToMany {
        obstacles.append("\(name).\(relationship.name) was to-many and is to-one")
      }
      if !oldRoots(relationship.destination.root).contains(old.destination.root) {
        obstacles.append(
          "\(name).\(relationship.name) had the destination \(old.destination.name) and has"
            + " \(relationship.destination.name)"
        )
      }
    }
  }
}

extension ModelMapping.EntityMapping {
  fileprivate init(new: EntityDescription, old: EntityDescription) {
    self.new = new
    self.old = old
    let attributes = ModelDifferences.match(
      old.attributes.map(\.declaration), new.attributes.map(\.declaration), name: \.name,
      identifier: \.renamingIdentifier)
    self.attributes = Dictionary(
      uniqueKeysWithValues: attributes.map { (new.attributes[$0.key].index, old.attributes[$0.value]) })
    let relationships = ModelDifferences.match(
      old.relationships.map(\.declaration), new.relationships.map(\.declaration), name: \.name,
      identifier: \.renamingIdentifier)
    self.relationships = Dictionary(
      uniqueKeysWithValues: relationships.map {
        (new.relationships[$0.key].index, old.relationships[$0.value])
      })
  }
}

extension AttributeType {
  /// Whether every value of another type is one of this type as well.
  fileprivate func holds(_ other: AttributeType) -> Bool {
    switch (self, other) {
    case (.integer32, .integer16), (.integer64, .integer16), (.integer64, .integer32), (.double, .float),
      (.double, .integer16), (.double, .integer32):
      true
    default: self == other
    }
  }
}
