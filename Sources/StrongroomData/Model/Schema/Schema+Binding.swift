extension Schema {
  /// The schema of a container: what it was given, or else what its configurations have together.
  ///
  /// - Throws: `SwiftDataError.unknownSchema` for entities made by hand that make no model, and for
  ///   classes that do not fit them.
  static func ofContainer(_ given: Schema, or configured: [Schema]) throws -> Schema {
    let parts = given.types.isEmpty && !given.isHandMade ? configured : [given]
    guard parts.contains(where: \.isHandMade) else {
      return Schema(parts.flatMap(\.types), version: given.version)
    }
    var entities: [Entity] = []
    for part in parts {
      // Configurations may share entities; of two with one name that differ, the model says so.
      let others = entities
      entities += part.entities.filter { !others.contains($0) }
    }
    let whole = Schema(handMade: entities, classes: parts.flatMap(\.types), version: given.version)
    _ = try whole.managedObjectModel()
    return Schema(
      handMade: entities, classes: whole.types, version: given.version, binding: try ClassBinding(whole))
  }

  /// The class of an entity's name; nil where the schema has none, or does not know it yet.
  func shape(named name: String) -> ModelSchema? {
    binding?.shape(named: name) ?? shapes.first { $0.name == name }
  }

  /// The names of the entities.
  var entityNames: [String] { isHandMade ? entities.map(\.name) : shapes.map(\.name) }

  /// The names of the entities whose objects are of a class.
  func entityNames<T: PersistentModel>(of type: T.Type) -> Set<String> {
    guard isHandMade else { return Set(types.filter { $0 is T.Type }.map { ModelSchema.name($0) }) }
    var waiting = [entitiesByName[ModelSchema.name(type)]].compactMap { $0 }
    var names: Set<String> = []
    while let entity = waiting.popLast() {
      if names.insert(entity.name).inserted { waiting += entity.children }
    }
    return names
  }
}
