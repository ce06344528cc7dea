import Foundation
import Locks
import ObjectModel

/// Which models a store keeps, and how: of classes, or of entities made by hand.
///
/// Destination classes of relationships, and superclasses that are models, are added automatically.
/// An entity has the name of its class, without what that is nested in.
///
/// A schema, its entities and their properties are not changed once a container has the schema.
public final class Schema: @unchecked Sendable {
  // @unchecked: entities and properties may be changed by their maker only until a container has them.
  /// The version of the coded form that this library writes.
  public static let schemaEncodingVersion = Version(1, 0, 0)

  /// The classes, automatically added ones last; of a schema made by hand, those that it lists.
  public let types: [any PersistentModel.Type]
  /// The version.
  public let version: Version
  /// The version of the form that the schema is coded in.
  public let encodingVersion = Schema.schemaEncodingVersion
  /// The entities: in the order of the classes, or as given with subentities after them.
  ///
  /// Those of classes are made on first use.
  public var entities: [Entity] { contents.entities }
  /// The entities by name; of two with one name, the first.
  public var entitiesByName: [String: Entity] { contents.byName }
  let shapes: [ModelSchema]
  /// Whether the entities were made by hand, so that they and not classes define the model.
  let isHandMade: Bool
  /// Of a container's schema made by hand: which classes show its objects.
  let binding: ClassBinding?

  private struct Contents: Sendable {
    let entities: [Entity]
    let byName: [String: Entity]

    init(_ entities: [Entity]) {
      self.entities = entities
      byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
  }

  private let made: Locked<Contents?>

  private var contents: Contents {
    made.withLock { made in
      if let made { return made }
      let new = Contents(Self.entities(of: shapes))
      made = new
      return new
    }
  }

  /// An empty schema.
  public convenience init() { self.init([any PersistentModel.Type]()) }

  /// Makes a schema of entities made by hand, with all their subentities and superentities.
  ///
  /// A container finds the classes of the entities' names in the program.
  public convenience init(_ entities: Schema.Entity..., version: Schema.Version = Version(1, 0, 0)) {
    self.init(handMade: entities, version: version)
  }

  /// Makes a schema of entities made by hand, and lists classes of their names, for a program with several
  /// classes of one name.
  public convenience init(
    _ entities: Schema.Entity..., classes: [any PersistentModel.Type],
    version: Schema.Version = Version(1, 0, 0)
  ) {
    self.init(handMade: entities, classes: classes, version: version)
  }

  init(
    handMade given: [Entity], classes: [any PersistentModel.Type] = [], version: Version,
    binding: ClassBinding? = nil
  ) {
    self.version = version
    self.binding = binding
    made = Locked(Contents(Entity.connected(given)))
    shapes = []
    types = classes
    isHandMade = true
  }

  /// Makes a schema of classes.
  public convenience init(
    _ types: any PersistentModel.Type..., version: Schema.Version = .init(1, 0, 0)
  ) {
    self.init(types, version: version)
  }

  /// Makes a schema of a list of classes.
  public init(_ types: [any PersistentModel.Type], version: Schema.Version = .init(1, 0, 0)) {
    self.version = version
    var seen: Set<ObjectIdentifier> = []
    var shapes: [ModelSchema] = []
    var waiting = types.map(ModelSchema.of)
    var place = 0
    while place < waiting.count {
      let shape = waiting[place]
      place += 1
      guard seen.insert(ObjectIdentifier(shape.type)).inserted else { continue }
      shapes.append(shape)
      if let parent = shape.parent { waiting.append(parent) }
      for case .relationship(let destination, _, _) in shape.own.map(\.kind) {
        waiting.append(ModelSchema.of(destination))
      }
    }
    self.shapes = shapes
    self.types = shapes.map(\.type)
    made = Locked(nil)
    isHandMade = false
    binding = nil
  }

  /// Makes the schema of one version.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }

  /// The entity of a class; nil when it is not in the schema.
  ///
  /// By name in a schema made by hand.
  public func entity<T: PersistentModel>(for type: T.Type) -> Entity? {
    let isThere = isHandMade || shapes.contains { $0.type == type }
    return isThere ? entitiesByName[ModelSchema.name(type)] : nil
  }

  /// The name of a class's entity.
  public static func entityName<T: PersistentModel>(for type: T.Type) -> String { ModelSchema.name(type) }
}

extension Schema: Hashable {
  /// The same classes and version; of schemas made by hand, the same entities.
  public static func == (left: Schema, right: Schema) -> Bool {
    left === right
      || left.version == right.version
        && Set(left.types.map(ObjectIdentifier.init)) == Set(right.types.map(ObjectIdentifier.init))
        && left.isHandMade == right.isHandMade
        && (!left.isHandMade || Set(left.entities) == Set(right.entities))
  }
  /// Hashes the classes; of a schema made by hand, the names of its entities.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(Set(types.map(ObjectIdentifier.init)))
    if isHandMade { hasher.combine(Set(entities.map(\.name))) }
  }
}

extension Schema: CustomDebugStringConvertible {
  /// Version and entities.
  public var debugDescription: String { "Schema \(version): \(entities.map(\.name).joined(separator: ", "))" }
}
