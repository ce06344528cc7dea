/// One entity as a model declares it: its own properties, not the inherited ones.
public struct Entity: Sendable, Hashable, Codable {
  /// The name.
  public var name: String
  /// The entity whose properties it inherits.
  public var superentityName: String?
  /// Whether only its subentities have objects.
  public var isAbstract: Bool
  /// The class its objects have.
  public var managedObjectClassName: String?
  /// Its own attributes.
  public var attributes: [Attribute] = []
  /// Its own relationships.
  public var relationships: [Relationship] = []
  /// Its own fetched properties.
  public var fetchedProperties: [FetchedProperty] = []
  /// Its own indexes.
  public var fetchIndexes: [FetchIndex] = []
  /// Its own uniqueness constraints.
  public var uniquenessConstraints: [UniquenessConstraint] = []
  /// What the entity is matched by between model versions.
  public var renamingIdentifier: String?
  /// Makes a version differ that is otherwise equal.
  public var versionHashModifier: String?
  /// The program's own notes.
  public var userInfo: [String: String] = [:]
  /// Other XML attributes of the model file, preserved for writing it again.
  public var extras: [String: String] = [:]

  /// Declares an entity with the properties, indexes and constraints that the closure lists.
  public init(
    _ name: String, parent: String? = nil, abstract: Bool = false, className: String? = nil,
    renamingIdentifier: String? = nil, userInfo: [String: String] = [:],
    @EntityBuilder _ content: () -> [any EntityElement] = { [] }
  ) {
    self.name = name
    superentityName = parent
    isAbstract = abstract
    managedObjectClassName = className
    self.renamingIdentifier = renamingIdentifier
    self.userInfo = userInfo
    for element in content() { element.add(to: &self) }
  }
}

/// What may stand in the declaration of an entity.
public protocol EntityElement {
  /// Takes its place in the entity.
  func add(to entity: inout Entity)
}

extension Attribute: EntityElement {
  /// Becomes an attribute.
  public func add(to entity: inout Entity) { entity.attributes.append(self) }
}

extension Relationship: EntityElement {
  /// Becomes a relationship.
  public func add(to entity: inout Entity) { entity.relationships.append(self) }
}

extension FetchedProperty: EntityElement {
  /// Becomes a fetched property.
  public func add(to entity: inout Entity) { entity.fetchedProperties.append(self) }
}

extension FetchIndex: EntityElement {
  /// Becomes an index.
  public func add(to entity: inout Entity) { entity.fetchIndexes.append(self) }
}

extension UniquenessConstraint: EntityElement {
  /// Becomes a constraint.
  public func add(to entity: inout Entity) { entity.uniquenessConstraints.append(self) }
}

/// Lists the parts of an entity; `if` and `for` may be used.
@resultBuilder
public enum EntityBuilder {
  /// One part.
  public static func buildExpression(_ element: any EntityElement) -> [any EntityElement] { [element] }
  /// Several parts.
  public static func buildBlock(_ parts: [any EntityElement]...) -> [any EntityElement] {
    parts.flatMap { $0 }
  }
  /// Parts of an `if` without `else`.
  public static func buildOptional(_ part: [any EntityElement]?) -> [any EntityElement] { part ?? [] }
  /// Parts of an `if`.
  public static func buildEither(first: [any EntityElement]) -> [any EntityElement] { first }
  /// Parts of an `else`.
  public static func buildEither(second: [any EntityElement]) -> [any EntityElement] { second }
  /// Parts of a `for`.
  public static func buildArray(_ parts: [[any EntityElement]]) -> [any EntityElement] {
    parts.flatMap { $0 }
  }
}

/// Lists the entities of a model.
@resultBuilder
public enum ModelBuilder {
  /// One entity.
  public static func buildExpression(_ entity: Entity) -> [Entity] { [entity] }
  /// Several entities.
  public static func buildBlock(_ parts: [Entity]...) -> [Entity] {
    parts.flatMap { $0 }
  }
  /// Entities of an `if` without `else`.
  public static func buildOptional(_ part: [Entity]?) -> [Entity] { part ?? [] }
  /// Entities of a `for`.
  public static func buildArray(_ parts: [[Entity]]) -> [Entity] {
    parts.flatMap { $0 }
  }
}
