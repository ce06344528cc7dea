public import Foundation

/// An entity in its model, with what it inherits and where everything stands.
public final class EntityDescription: Sendable, Hashable, CustomStringConvertible {
  /// How the model declares it.
  public let declaration: Entity
  /// The name.
  public let name: String
  /// The index in the model's entities.
  public let index: Int
  /// Whether only its subentities have objects.
  public let isAbstract: Bool
  /// The entity it inherits from.
  public let superentity: EntityDescription?

  // nonisolated(unsafe), here and below: written once by the model's initialiser, before anybody
  // else sees the model.
  /// The entities that inherit from it directly.
  public nonisolated(unsafe) internal(set) var subentities: [EntityDescription] = []
  /// Itself and all that inherit from it, itself first.
  public nonisolated(unsafe) internal(set) var hierarchy: [EntityDescription] = []
  /// Whether any entity inherits from it.
  public nonisolated(unsafe) internal(set) var hasSubentities = false
  /// All properties by property index: the superentity's first, then its own attributes, then its
  /// own relationships.
  public nonisolated(unsafe) internal(set) var properties: [PropertyDescription] = []
  /// All attributes in property index order.
  public nonisolated(unsafe) internal(set) var attributes: [AttributeDescription] = []
  /// All relationships in property index order.
  public nonisolated(unsafe) internal(set) var relationships: [RelationshipDescription] = []
  /// The fields of a row of the entity: persistent attributes and to-ones in property index order.
  public nonisolated(unsafe) internal(set) var storedFields: [StoredField] = []
  /// The number of properties.
  public nonisolated(unsafe) internal(set) var propertyCount = 0
  /// The number of fields of a row.
  public nonisolated(unsafe) internal(set) var fieldCount = 0
  /// What new objects have, by property index.
  public nonisolated(unsafe) internal(set) var defaultValues: [AttributeValue] = []
  /// Its uniqueness constraints and the inherited ones.
  public nonisolated(unsafe) internal(set) var uniquenessConstraints: [UniquenessConstraint] = []
  /// The entities with derived attributes that change when objects of this one are saved or
  /// deleted.
  public nonisolated(unsafe) internal(set) var derivedEntities: [EntityDescription] = []
  /// The stored unidirectional to-ones that may reference objects of this entity's hierarchy.
  ///
  /// They become null once such an object is deleted, unless their own delete rule is "no action".
  public nonisolated(unsafe) internal(set) var unidirectionalToOnes: [RelationshipDescription] = []
  /// A SHA-256 over what changes the storage or meaning of the entity; see
  /// `ManagedObjectModel.versionHash`.
  public var versionHash: Data { Data(hashBytes) }
  // Not as Data, inside which leak detection does not find references.
  nonisolated(unsafe) var hashBytes: [UInt8] = []
  private nonisolated(unsafe) var byName: [String: PropertyDescription] = [:]
  private nonisolated(unsafe) var ancestors: Set<ObjectIdentifier> = []

  init(_ declaration: Entity, index: Int, superentity: EntityDescription?) {
    self.declaration = declaration
    name = declaration.name
    self.index = index
    isAbstract = declaration.isAbstract
    self.superentity = superentity
  }

  /// The topmost entity it inherits from, or itself.
  public var root: EntityDescription {
    var entity = self
    while let next = entity.superentity { entity = next }
    return entity
  }

  /// Its own indexes.
  public var fetchIndexes: [FetchIndex] { declaration.fetchIndexes }
  /// The to-many relationships in property index order.
  public var toManyRelationships: [RelationshipDescription] { relationships.filter(\.isToMany) }
  /// The name.
  public var description: String { name }

  /// The property of a name, own or inherited.
  ///
  /// O(1).
  public func property(named name: String) -> PropertyDescription? { byName[name] }

  /// The attribute of a name.
  ///
  /// O(1).
  public func attribute(named name: String) -> AttributeDescription? {
    if case .attribute(let attribute)? = byName[name] { return attribute }
    return nil
  }

  /// The relationship of a name.
  ///
  /// O(1).
  public func relationship(named name: String) -> RelationshipDescription? {
    if case .relationship(let relationship)? = byName[name] { return relationship }
    return nil
  }

  /// The fetched property of a name, own or inherited.
  public func fetchedProperty(named name: String) -> FetchedProperty? {
    declaration.fetchedProperties.first { $0.name == name } ?? superentity?.fetchedProperty(named: name)
  }

  /// The property index of the property of a name.
  ///
  /// O(1).
  public func indexOfProperty(named name: String) -> Int? { byName[name]?.index }

  /// Whether it is an entity or inherits from it.
  ///
  /// O(1).
  public func isKind(of other: EntityDescription) -> Bool {
    self === other || ancestors.contains(ObjectIdentifier(other))
  }

  /// Takes over the inherited properties and gives its own ones their indexes; the superentity is
  /// complete by then.
  func place(composites: [String: Composite], entity: (String) -> EntityDescription) {
    if let superentity {
      ancestors = superentity.ancestors.union([ObjectIdentifier(superentity)])
      superentity.subentities.append(self)
      properties = superentity.properties
      storedFields = superentity.storedFields
      uniquenessConstraints = superentity.uniquenessConstraints
    }
    for own in declaration.attributes {
      let attribute = AttributeDescription(
        own, index: properties.count, field: own.isTransient ? -1 : storedFields.count, entity: self,
        composites: composites)
      properties.append(.attribute(attribute))
      if !own.isTransient { storedFields.append(.attribute(attribute)) }
    }
    for own in declaration.relationships {
      let stored = !own.isToMany && !own.isTransient
      let relationship = RelationshipDescription(
        own, index: properties.count, field: stored ? storedFields.count : -1, entity: self,
        destination: entity(own.destinationEntityName))
      properties.append(.relationship(relationship))
      if stored { storedFields.append(.toOne(relationship)) }
    }
    uniquenessConstraints += declaration.uniquenessConstraints
    propertyCount = properties.count
    fieldCount = storedFields.count
    listProperties()
  }

  private func listProperties() {
    for property in properties {
      byName[property.name] = property
      switch property {
      case .attribute(let attribute):
        attributes.append(attribute)
        defaultValues.append(attribute.defaultValue)
      case .relationship(let relationship):
        relationships.append(relationship)
        defaultValues.append(.null)
      }
    }
  }

  /// Sets what is known once every entity is placed.
  func completeHierarchy() {
    hierarchy = [self]
    for child in subentities {
      child.completeHierarchy()
      hierarchy += child.hierarchy
    }
    hasSubentities = hierarchy.count > 1
  }

  /// Identity.
  public static func == (left: EntityDescription, right: EntityDescription) -> Bool { left === right }
  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
