import Locks
import ObjectModel
import StoreContract

/// What a class of models looks like, worked out from the class alone, once.
final class ModelSchema: Sendable {
  let type: any PersistentModel.Type
  /// The name of its entity: the class's own, without what it is nested in.
  let name: String
  /// That of the superclass, where that is a model too.
  let parent: ModelSchema?
  /// What the class declares itself, in its order.
  let own: [PropertySchema]
  /// All properties by property index.
  let properties: [PropertySchema]
  /// An entity of the same property indexes, for objects that no context has yet.
  let prototype: StoreEntity
  let constraints: [SchemaConstraintPaths]
  // Key paths never change.
  nonisolated(unsafe) let propertyNames: [AnyKeyPath: String]

  /// What was found out of other key paths; none for those that read no property.
  private let found = Locked(FoundPaths())

  private struct FoundPaths: @unchecked Sendable {
    // @unchecked: key paths never change.
    var names: [AnyKeyPath: [String]?] = [:]
  }

  /// The properties that a key path follows, one after another; none for the identity, nil when it
  /// reads something else.
  func path(of keyPath: AnyKeyPath) -> [String]? {
    if let name = propertyNames[keyPath] { return name.isEmpty ? [] : [name] }
    nonisolated(unsafe) let path = keyPath
    if let known = found.withLock({ $0.names[path] }) { return known }
    let names = KeyPathProbe.names(of: keyPath, in: self)
    found.withLock { $0.names[path] = .some(names) }
    return names
  }

  private static let known = Locked<[ObjectIdentifier: ModelSchema]>([:])

  /// The shape of a class.
  static func of(_ type: any PersistentModel.Type) -> ModelSchema {
    if let shape = known.withLock({ $0[ObjectIdentifier(type)] }) { return shape }
    // Outside the lock: it asks for the superclass's.
    let new = ModelSchema(type)
    return known.withLock { known in
      if let other = known[ObjectIdentifier(type)] { return other }
      known[ObjectIdentifier(type)] = new
      return new
    }
  }

  /// The shapes of the classes of a name; last the one that was used first last.
  static func made(named name: String) -> [ModelSchema] {
    known.withLock { known in
      known.values.filter { $0.name == name }.sorted { $0.order < $1.order }
    }
  }

  private static let count = Locked(0)
  private let order: Int

  private init(_ type: any PersistentModel.Type) {
    order = Self.count.withLock { count in
      count += 1
      return count
    }
    self.type = type
    name = Self.name(type)
    let parent = (_getSuperclass(type) as? any PersistentModel.Type).map(Self.of)
    self.parent = parent
    let own = type.schemaMetadata.map { PropertySchema($0, of: type) }
    self.own = own
    constraints = type._$constraints.map(\.paths)
    let entity = Self.entity(name, own, parent)
    prototype = StoreEntity(entity, in: nil)
    for property in own {
      if let index = entity.propertyIndex(named: property.name) { property.index = index }
    }
    let inherited = parent?.properties ?? []
    properties = inherited + own.sorted { $0.index.index < $1.index.index }
    var names = Self.identities(type)
    for property in inherited + own { names[property.keyPath] = property.name }
    propertyNames = names
  }

  static func name(_ type: any PersistentModel.Type) -> String { String(describing: type) }

  /// The key paths to the model's own identity.
  private static func identities<Model: PersistentModel>(_ type: Model.Type) -> [AnyKeyPath: String] {
    [\Model.persistentModelID: "", \Model.id as AnyKeyPath: ""].filter {
      Swift.type(of: $0.key).valueType == PersistentIdentifier.self
    }
  }

  /// An entity with the class's properties, whose relationships have the entity itself as
  /// destination: the real destination is unknown here, and does not affect the property indexes.
  private static func entity(_ name: String, _ own: [PropertySchema], _ parent: ModelSchema?)
    -> EntityDescription
  {
    var line: [(String, [PropertySchema])] = [(name, own)]
    var next = parent
    while let shape = next {
      line.append((shape.name, shape.own))
      next = shape.parent
    }
    var entities: [Entity] = []
    for (place, (_, properties)) in line.enumerated() {
      // Numbered, since classes of one line may have one name.
      var entity = Entity(place == 0 ? name : "\(name).\(place)")
      if place + 1 < line.count { entity.superentityName = "\(name).\(place + 1)" }
      let own = entity.name
      for property in properties { property.add(to: &entity, destination: { _ in own }) }
      entities.append(entity)
    }
    do {
      let model = try ManagedObjectModel(ModelDeclaration(entities: entities))
      if let entity = model.entity(named: name) { return entity }
      preconditionFailure("\(name) has no entity")
    } catch {
      preconditionFailure("\(name) cannot be a model: \(error)")
    }
  }
}
