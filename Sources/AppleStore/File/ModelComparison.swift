import ObjectModel

/// Compares a model that was given for a store with the store's own.
enum ModelComparison {
  /// - Throws: `AppleStoreError.wrongModel`, which names what differs first.
  static func check(
    _ given: ManagedObjectModel, isModelOf path: String, _ own: ManagedObjectModel
  ) throws(AppleStoreError) {
    for entity in own.entities {
      guard let other = given.entity(named: entity.name) else {
        throw wrong(path, "it has no entity \(entity.name)")
      }
      for property in entity.properties {
        guard let found = other.property(named: property.name) else {
          throw wrong(path, "it has no \(entity.name).\(property.name)")
        }
        guard form(found) == form(property) else {
          throw wrong(path, "its \(entity.name).\(property.name) is of another kind")
        }
      }
    }
    for entity in given.entities where own.entity(named: entity.name) == nil {
      throw wrong(path, "it has an entity \(entity.name) that the store has not")
    }
  }

  private static func wrong(_ path: String, _ reason: String) -> AppleStoreError {
    AppleStoreError(
      .wrongModel,
      "the model given is not the one of \(path): \(reason); give the version that wrote the store, or none")
  }

  private static func form(_ property: PropertyDescription) -> [String] {
    switch property {
    case .attribute(let attribute): [attribute.type.rawValue]
    case .relationship(let relationship):
      [relationship.destination.name, "\(relationship.isToMany)", "\(relationship.isOrdered)"]
    }
  }
}
