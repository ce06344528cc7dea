public import Foundation
import Locks

/// A checked, immutable description of entities and their relationships.
///
/// Its entities live as long as the process, since they refer to each other and a program has few
/// models. Models of equal descriptions have the same ones.
public final class ManagedObjectModel: Sendable, Hashable {
  /// What the model is made from.
  public let declaration: ModelDeclaration
  /// The entities by name; `EntityDescription.index` is the index in this list.
  public let entities: [EntityDescription]
  /// A SHA-256 over the version hashes of all entities.
  ///
  /// Two models with equal hashes have the same storage.
  ///
  /// It covers names, types, optional, transient and abstract marks, inheritance, relationships
  /// with their destinations, inverses, counts and order, indexes, uniqueness, sealing, and version hash
  /// modifiers; not defaults, delete rules, validation, class names, user info or renaming
  /// identifiers.
  public var versionHash: Data { Data(hashBytes) }
  /// The version hash in Base64, by which a `ManagedObjectModelReference` names a version.
  public var versionChecksum: String { versionHash.base64EncodedString() }
  /// The version hash of each entity, by the entity's name.
  public var entityVersionHashesByName: [String: Data] {
    Dictionary(entities.map { ($0.name, $0.versionHash) }) { first, _ in first }
  }
  private let hashBytes: [UInt8]
  private let byName: [String: EntityDescription]

  private struct Contents: Sendable {
    let entities: [EntityDescription]
    let byName: [String: EntityDescription]
    let hashBytes: [UInt8]
  }

  /// The models of all declarations so far: a store decodes its model at each opening and
  /// verification.
  private static let known = Locked<[ModelDeclaration: Contents]>([:])

  /// Creates a model.
  ///
  /// - Throws: `ModelError` with all issues of the declaration at once.
  public convenience init(_ description: ModelDeclaration) throws(ModelError) {
    try self.init(read: description)
    let issues = underivable.map { attribute in
      ModelIssue(
        .wrongDerivation, attribute.entity.name, attribute.name,
        "its derivation cannot be computed: it names no stored property, gives another type, or is no"
          + " expression that is"
          + " known; repair or remove it")
    }
    guard issues.isEmpty else { throw ModelError(issues) }
  }

  /// Creates the model of a file, in which a derived attribute that cannot be computed is a plain
  /// one.
  package init(read description: ModelDeclaration) throws(ModelError) {
    let issues = ModelCheck(description).issues
    guard issues.isEmpty else { throw ModelError(issues) }
    let contents = Self.known.withLock { known in
      if let contents = known[description] { return contents }
      let contents = Self.contents(description)
      known[description] = contents
      return contents
    }
    let derivations = SealingCheck.derivationIssues(contents.entities)
    guard derivations.isEmpty else { throw ModelError(derivations) }
    self.declaration = description
    entities = contents.entities
    byName = contents.byName
    hashBytes = contents.hashBytes
  }

  private static func contents(_ description: ModelDeclaration) -> Contents {
    let order = entitiesInOrder(description)
    let made = Dictionary(order.map { ($0.name, $0) }) { first, _ in first }
    let composites = Dictionary(description.composites.map { ($0.name, $0) }) { first, _ in first }
    for entity in order { entity.place(composites: composites) { made[$0] ?? entity } }
    for entity in order where entity.superentity == nil { entity.completeHierarchy() }
    connectInverses(order)
    for relationship in ownRelationships(of: order)
    where relationship.field >= 0 && relationship.inverse == nil {
      for destination in relationship.destination.root.hierarchy {
        destination.unidirectionalToOnes.append(relationship)
      }
    }
    derive(order)
    for entity in order { entity.hashBytes = VersionHash.of(entity) }
    let entities = order.sorted { $0.index < $1.index }
    return Contents(
      entities: entities, byName: made,
      hashBytes: VersionHash.of(entities, composites: description.composites))
  }

  /// The entities, superentities first; validation has ruled out cycles.
  ///
  /// Their indices follow their names.
  private static func entitiesInOrder(_ description: ModelDeclaration) -> [EntityDescription] {
    let sorted = description.entities.sorted { $0.name < $1.name }
    let indices = Dictionary(uniqueKeysWithValues: sorted.enumerated().map { ($0.element.name, $0.offset) })
    var made: [String: EntityDescription] = [:]
    var order: [EntityDescription] = []
    for declaration in sorted {
      var line = [declaration]
      while let parent = line.last?.superentityName, made[parent] == nil, let index = indices[parent] {
        line.append(sorted[index])
      }
      for next in line.reversed() where made[next.name] == nil {
        let entity = EntityDescription(
          next, index: indices[next.name] ?? 0, superentity: next.superentityName.flatMap { made[$0] })
        made[next.name] = entity
        order.append(entity)
      }
    }
    return order
  }

  private static func ownRelationships(of entities: [EntityDescription]) -> [RelationshipDescription] {
    entities.flatMap { entity in entity.relationships.filter { $0.entity === entity } }
  }

  /// Connects relationships that name each other as inverses.
  private static func connectInverses(_ entities: [EntityDescription]) {
    let relationships = ownRelationships(of: entities)
    for relationship in relationships {
      let entity = relationship.entity
      guard let name = relationship.declaration.inverseName,
        let inverse = relationship.destination.relationship(named: name),
        inverse.declaration.inverseName == relationship.name,
        entity.isKind(of: inverse.destination) || inverse.destination.isKind(of: entity)
      else { continue }
      relationship.inverse = inverse
    }
    // An inverse that has another inverse is none: the relationship is unidirectional.
    for relationship in relationships {
      if let inverse = relationship.inverse, inverse.inverse !== relationship { relationship.inverse = nil }
    }
  }

  /// Reads the expressions of derived attributes, and notes whose objects they look at.
  private static func derive(_ entities: [EntityDescription]) {
    for entity in entities {
      for attribute in entity.attributes where attribute.entity === entity {
        attribute.derivation = Derivation(of: attribute, in: entity)
        guard let derivation = attribute.derivation else { continue }
        let sources = Set(entity.root.hierarchy + (derivation.relationship?.destination.root.hierarchy ?? []))
        for source in sources where !source.derivedEntities.contains(entity) {
          source.derivedEntities.append(entity)
        }
      }
    }
  }

  /// The attributes whose derivation cannot be computed.
  var underivable: [AttributeDescription] {
    entities.flatMap { entity in
      entity.attributes.filter {
        $0.entity === entity && $0.declaration.derivationExpression != nil && $0.derivation == nil
      }
    }
  }

  /// Creates a model of entities alone.
  ///
  /// - Throws: `ModelError` with all issues at once.
  public convenience init(@ModelBuilder _ content: () -> [Entity]) throws(ModelError) {
    try self.init(ModelDeclaration(entities: content()))
  }

  /// The entity of a name.
  ///
  /// O(1).
  public func entity(named name: String) -> EntityDescription? {
    // Comparing a few names costs less than hashing one.
    if entities.count <= 8 { return entities.first { $0.name == name } }
    return byName[name]
  }

  /// Equal descriptions.
  public static func == (left: ManagedObjectModel, right: ManagedObjectModel) -> Bool {
    left === right || left.declaration == right.declaration
  }

  /// Hashes the version hash.
  public func hash(into hasher: inout Hasher) { hasher.combine(hashBytes) }
}

/// All that a model file says.
public struct ModelDeclaration: Sendable, Hashable, Codable {
  /// The entities.
  public var entities: [Entity]
  /// The composite types.
  public var composites: [Composite]
  /// The names of entities by configuration.
  public var configurations: [String: [String]]
  /// Other XML attributes of configurations in the model file, by configuration name; preserved for
  /// writing it again.
  public var configurationExtras: [String: [String: String]]?
  /// The positions at which older editors drew the entities; preserved for writing the file again.
  public var layout: [[String: String]]?
  /// Fetch requests by name.
  public var fetchRequestTemplates: [FetchRequestTemplate]
  /// The program's own names for this version.
  public var versionIdentifiers: [String]
  /// Other XML attributes of the model file, preserved for writing it again.
  public var extras: [String: String]

  /// Describes a model.
  public init(
    entities: [Entity], composites: [Composite] = [],
    configurations: [String: [String]] = [:],
    fetchRequestTemplates: [FetchRequestTemplate] = [], versionIdentifiers: [String] = [],
    extras: [String: String] = [:]
  ) {
    self.entities = entities
    self.composites = composites
    self.configurations = configurations
    self.fetchRequestTemplates = fetchRequestTemplates
    self.versionIdentifiers = versionIdentifiers
    self.extras = extras
  }
}
