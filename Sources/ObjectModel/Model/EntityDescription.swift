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

  /// What is known once all entities of the model are made.
  @usableFromInline
  struct Layout {
    @usableFromInline var subentities: [EntityDescription] = []
    @usableFromInline var hierarchy: [EntityDescription] = []
    @usableFromInline var hasSubentities = false
    @usableFromInline var properties: [PropertyDescription] = []
    @usableFromInline var attributes: [AttributeDescription] = []
    @usableFromInline var relationships: [RelationshipDescription] = []
    @usableFromInline var storedFields: [StoredField] = []
    @usableFromInline var propertyCount = 0
    @usableFromInline var fieldCount = 0
    @usableFromInline var defaultValues: [AttributeValue] = []
    @usableFromInline var uniquenessConstraints: [UniquenessConstraint] = []
    @usableFromInline var derivedEntities: [EntityDescription] = []
    @usableFromInline var unidirectionalToOnes: [RelationshipDescription] = []
  }

  // nonisolated(unsafe), here and below: written once by the model's initialiser, before anybody
  // else sees the model. Read by accessors that are inlined elsewhere, since reading a variable of
  // another module's class costs a check of exclusive access each time.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var layout = Layout()
  /// The entities that inherit from it directly.
  public internal(set) var subentities: [EntityDescription] {
    @inlinable get { layout.subentities }
    set { layout.subentities = newValue }
  }
  /// Itself and all that inherit from it, itself first.
  public internal(set) var hierarchy: [EntityDescription] {
    @inlinable get { layout.hierarchy }
    set { layout.hierarchy = newValue }
  }
  /// Whether any entity inherits from it.
  public internal(set) var hasSubentities: Bool {
    @inlinable get { layout.hasSubentities }
    set { layout.hasSubentities = newValue }
  }
  /// All properties by property index: the superentity's first, then its own attributes, then its
  /// own relationships.
  public internal(set) var properties: [PropertyDescription] {
    @inlinable get { layout.properties }
    set { layout.properties = newValue }
  }
  /// All attributes in property index order.
  public internal(set) var attributes: [AttributeDescription] {
    @inlinable get { layout.attributes }
    set { layout.attributes = newValue }
  }
  /// All relationships in property index order.
  public internal(set) var relationships: [RelationshipDescription] {
    @inlinable get { layout.relationships }
    set { layout.relationships = newValue }
  }
  /// The fields of a row of the entity: persistent attributes and to-ones in property index order.
  public internal(set) var storedFields: [StoredField] {
    @inlinable get { layout.storedFields }
    set { layout.storedFields = newValue }
  }
  /// The number of properties.
  public internal(set) var propertyCount: Int {
    @inlinable get { layout.propertyCount }
    set { layout.propertyCount = newValue }
  }
  /// The number of fields of a row.
  public internal(set) var fieldCount: Int {
    @inlinable get { layout.fieldCount }
    set { layout.fieldCount = newValue }
  }
  /// What new objects have, by property index.
  public internal(set) var defaultValues: [AttributeValue] {
    @inlinable get { layout.defaultValues }
    set { layout.defaultValues = newValue }
  }
  /// Its uniqueness constraints and the inherited ones.
  public internal(set) var uniquenessConstraints: [UniquenessConstraint] {
    @inlinable get { layout.uniquenessConstraints }
    set { layout.uniquenessConstraints = newValue }
  }
  /// The entities with derived attributes that change when objects of this one are saved or
  /// deleted.
  public internal(set) var derivedEntities: [EntityDescription] {
    @inlinable get { layout.derivedEntities }
    set { layout.derivedEntities = newValue }
  }
  /// The stored unidirectional to-ones that may reference objects of this entity's hierarchy.
  ///
  /// They become null once such an object is deleted, unless their own delete rule is "no action".
  public internal(set) var unidirectionalToOnes: [RelationshipDescription] {
    @inlinable get { layout.unidirectionalToOnes }
    set { layout.unidirectionalToOnes = newValue }
  }
  /// A SHA-256 over what changes the storage or meaning of the entity; see
  /// `ManagedObjectModel.versionHash`.
  public var versionHash: Data { Data(hashBytes) }
  // Not as Data, inside which leak detection does not find references.
  nonisolated(unsafe) var hashBytes: [UInt8] = []
  @exclusivity(unchecked) private nonisolated(unsafe) var byName: [String: PropertyDescription] = [:]
  @exclusivity(unchecked) private nonisolated(unsafe) var ancestors: Set<ObjectIdentifier> = []
  @usableFromInline let otherRoot: EntityDescription?

  init(_ declaration: Entity, index: Int, superentity: EntityDescription?) {
    self.declaration = declaration
    name = declaration.name
    self.index = index
    isAbstract = declaration.isAbstract
    self.superentity = superentity
    otherRoot = superentity?.root
  }

  /// The topmost entity it inherits from, or itself.
  @inlinable public var root: EntityDescription { otherRoot ?? self }

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
      superentity.layout.subentities.append(self)
      properties = superentity.properties
      storedFields = superentity.storedFields
      uniquenessConstraints = superentity.uniquenessConstraints
    }
    for own in declaration.attributes {
      let attribute = AttributeDescription(
        own, index: properties.count, field: own.isTransient ? -1 : storedFields.count, entity: self,
        composites: composites)
      layout.properties.append(.attribute(attribute))
      if !own.isTransient { layout.storedFields.append(.attribute(attribute)) }
    }
    for own in declaration.relationships {
      let stored = !own.isToMany && !own.isTransient
      let relationship = RelationshipDescription(
        own, index: properties.count, field: stored ? storedFields.count : -1, entity: self,
        destination: entity(own.destinationEntityName))
      layout.properties.append(.relationship(relationship))
      if stored { layout.storedFields.append(.toOne(relationship)) }
    }
    layout.uniquenessConstraints += declaration.uniquenessConstraints
    propertyCount = properties.count
    fieldCount = storedFields.count
    listProperties()
  }

  private func listProperties() {
    for property in properties {
      byName[property.name] = property
      switch property {
      case .attribute(let attribute):
        layout.attributes.append(attribute)
        layout.defaultValues.append(attribute.defaultValue)
      case .relationship(let relationship):
        layout.relationships.append(relationship)
        layout.defaultValues.append(.null)
      }
    }
  }

  /// Sets what is known once every entity is placed.
  func completeHierarchy() {
    hierarchy = [self]
    for child in subentities {
      child.completeHierarchy()
      layout.hierarchy += child.hierarchy
    }
    hasSubentities = hierarchy.count > 1
  }

  /// Identity.
  public static func == (left: EntityDescription, right: EntityDescription) -> Bool { left === right }
  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
