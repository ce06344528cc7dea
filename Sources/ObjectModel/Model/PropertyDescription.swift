/// An attribute or a relationship of an entity.
public enum PropertyDescription: Sendable, Hashable {
  /// An attribute.
  case attribute(AttributeDescription)
  /// A relationship.
  case relationship(RelationshipDescription)

  /// The name.
  public var name: String {
    switch self {
    case .attribute(let attribute): attribute.name
    case .relationship(let relationship): relationship.name
    }
  }

  /// The index in the entity's properties.
  public var index: Int {
    switch self {
    case .attribute(let attribute): attribute.index
    case .relationship(let relationship): relationship.index
    }
  }

  /// The entity that declares it.
  package var declaringEntity: EntityDescription {
    switch self {
    case .attribute(let attribute): attribute.entity
    case .relationship(let relationship): relationship.entity
    }
  }
}

/// An attribute in its model.
///
/// A superentity and its subentities share one instance.
public final class AttributeDescription: Sendable, Hashable {
  /// How the model declares it.
  public let declaration: Attribute
  /// The name.
  public let name: String
  /// The type.
  public let type: AttributeType
  /// The index in the entity's properties; the same in every subentity.
  public let index: Int
  /// The index in the fields of the entity's row; the same in every subentity.
  ///
  /// -1 when transient.
  public let field: Int
  /// Whether null may be saved.
  public let isOptional: Bool
  /// Whether it lives in memory only.
  public let isTransient: Bool
  /// What new objects have.
  public let defaultValue: AttributeValue
  /// Whether a store may leave a long value out of the row it hands on, and read it when it is
  /// asked for: what the model allows for binary data with "allows external storage".
  public let isExternal: Bool
  /// Whether a registered value transformer makes the stored bytes, so that no predicate can look
  /// into them.
  ///
  /// Other transformable attributes are stored as JSON.
  public let isOpaque: Bool
  /// How a store on a server seals the values; nil for values that the server reads.
  public let sealing: AttributeSealing?
  /// What a composite is made of; none for other types.
  ///
  /// Elements have no property index and no field of their own.
  public let elements: [AttributeDescription]
  /// How the store computes the value, for a derived attribute whose expression is understood;
  /// programs cannot set it then.
  public internal(set) var derivation: Derivation? {
    @inlinable get { knownDerivation }
    set { knownDerivation = newValue }
  }
  // nonisolated(unsafe): written once by the model's initialiser, before anybody else sees the
  // model.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var knownDerivation: Derivation?
  // Entities and properties refer to each other: a model lives as long as its process, and programs
  // have few.
  /// The entity that declares it.
  public let entity: EntityDescription

  /// - `composites`: The composite types of the model by name; the check has ruled out circles.
  init(
    _ declaration: Attribute, index: Int, field: Int, entity: EntityDescription,
    composites: [String: Composite]
  ) {
    self.declaration = declaration
    let composite =
      declaration.type == .composite ? declaration.compositeName.flatMap { composites[$0] } : nil
    elements = (composite?.attributes ?? []).map {
      AttributeDescription($0, index: -1, field: -1, entity: entity, composites: composites)
    }
    name = declaration.name
    type = declaration.type
    self.index = index
    self.field = field
    isOptional = declaration.isOptional
    isTransient = declaration.isTransient
    sealing = declaration.sealing
    isExternal =
      declaration.allowsExternalBinaryDataStorage && field >= 0
      && (type == .binary || type == .transformable)
    isOpaque =
      type == .transformable && !Self.archivers.contains(declaration.valueTransformerName ?? "")
    let defaults = elements.filter { !$0.defaultValue.isNull }.map { ($0.name, $0.defaultValue) }
    defaultValue =
      declaration.defaultValue
      ?? (defaults.isEmpty ? .null : .composite(Dictionary(defaults) { first, _ in first }))
    self.entity = entity
  }

  /// The editor's names for its own archiver.
  ///
  /// Their attributes take Codable values.
  private static let archivers: Set<String> = [
    "", "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformerName", "NSKeyedUnarchiveFromData",
    "NSKeyedUnarchiveFromDataTransformerName", "NSUnarchiveFromData",
  ]

  /// The element of a composite at the end of a path of names, itself for no names; nil when there
  /// is none.
  public func element(_ path: some Collection<String>) -> AttributeDescription? {
    guard let name = path.first else { return self }
    return elements.first { $0.name == name }?.element(path.dropFirst())
  }

  /// Whether the attribute may have a value: of its type, and for a composite with known elements
  /// of their types only.
  public func accepts(_ value: AttributeValue) -> Bool {
    guard case .composite(let values) = value, type == .composite else { return value.matches(type) }
    return values.allSatisfy { name, value in element(CollectionOfOne(name))?.accepts(value) ?? false }
  }

  /// Identity.
  public static func == (left: AttributeDescription, right: AttributeDescription) -> Bool { left === right }
  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A relationship in its model.
///
/// A superentity and its subentities share one instance.
public final class RelationshipDescription: Sendable, Hashable {
  /// How the model declares it.
  public let declaration: Relationship
  /// The name.
  public let name: String
  /// The index in the entity's properties; the same in every subentity.
  public let index: Int
  /// For a to-one, the index in the fields of the entity's row; -1 for a to-many or transient one.
  public let field: Int
  /// Whether it is a to-many.
  public let isToMany: Bool
  /// Whether a to-many has an order that lasts.
  public let isOrdered: Bool
  /// Whether it may be null.
  public let isOptional: Bool
  /// Whether it lives in memory only.
  public let isTransient: Bool
  /// What happens on deletion.
  public let deleteRule: DeleteRule
  /// The least number of objects of a to-many.
  public let minCount: Int
  /// The greatest number of objects; 0 for no limit.
  public let maxCount: Int
  /// The entity that declares it.
  public let entity: EntityDescription
  /// The destination entity.
  public let destination: EntityDescription
  /// The inverse; nil for a unidirectional relationship.
  public internal(set) var inverse: RelationshipDescription? {
    @inlinable get { knownInverse }
    set { knownInverse = newValue }
  }
  // nonisolated(unsafe): written once by the model's initialiser, before anybody else sees the
  // model.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var knownInverse: RelationshipDescription?

  init(
    _ declaration: Relationship, index: Int, field: Int, entity: EntityDescription,
    destination: EntityDescription
  ) {
    self.declaration = declaration
    name = declaration.name
    self.index = index
    self.field = field
    isToMany = declaration.isToMany
    isOrdered = declaration.isOrdered && declaration.isToMany
    isOptional = declaration.isOptional
    isTransient = declaration.isTransient
    deleteRule = declaration.deleteRule
    minCount = declaration.minCount
    maxCount = declaration.maxCount
    self.entity = entity
    self.destination = destination
  }

  /// Identity.
  public static func == (left: RelationshipDescription, right: RelationshipDescription) -> Bool {
    left === right
  }
  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
