import Foundation
import ObjectModel

/// Which classes of models a store keeps, and how.
///
/// Destination classes of relationships, and superclasses that are models, are added automatically.
/// An entity has the name of its class, without what that is nested in.
public final class Schema: Sendable {
  /// The classes, automatically added ones last.
  public let types: [any PersistentModel.Type]
  /// The version.
  public let version: Version
  let shapes: [ModelSchema]

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
  }

  /// Makes the schema of one version.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }

  /// The entities, in the order of the classes.
  public var entities: [Entity] {
    let inverses = try? Inverses(shapes)
    return shapes.map { Entity($0, inverses, among: shapes) }
  }
  /// The entities by name.
  public var entitiesByName: [String: Entity] {
    Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The entity of a class; nil when it is not in the schema.
  public func entity<T: PersistentModel>(for type: T.Type) -> Entity? {
    shapes.first { $0.type == type }.map { Entity($0, try? Inverses(shapes), among: shapes) }
  }

  /// The name of a class's entity.
  public static func entityName<T: PersistentModel>(for type: T.Type) -> String { ModelSchema.name(type) }
}

extension Schema: Hashable {
  /// The same classes and version.
  public static func == (left: Schema, right: Schema) -> Bool {
    left.version == right.version
      && Set(left.types.map(ObjectIdentifier.init)) == Set(right.types.map(ObjectIdentifier.init))
  }
  /// Hashes the classes.
  public func hash(into hasher: inout Hasher) { hasher.combine(Set(types.map(ObjectIdentifier.init))) }
}

extension Schema: CustomDebugStringConvertible {
  /// Version and entities.
  public var debugDescription: String { "Schema \(version): \(shapes.map(\.name).joined(separator: ", "))" }
}
