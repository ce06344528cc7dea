import CipherDatabase
import ObjectModel

/// Compares models that were given for a store with the store.
enum ModelComparison {
  /// The layout of a store that has no model in it, by the latest version that fits.
  ///
  /// - Throws: `AppleStoreError.noModel` where none is given, `wrongModel` where none fits.
  static func fittingLayout(
    _ models: [ManagedObjectModel], of path: String, _ tables: [String: [String]], _ database: PlainDatabase
  ) throws -> AppleLayout {
    var nearest: AppleLayout?
    for model in models.reversed() {
      let layout = try AppleLayout(model, tables, database)
      if layout.misfits == 0 { return layout }
      if layout.misfits < nearest?.misfits ?? .max { nearest = layout }
    }
    guard let fault = nearest?.faults.first else {
      throw AppleStoreError(
        .noModel,
        "\(path) has no model in it, as stores of before 2015; give its model (.xcdatamodeld or .mom)")
    }
    throw wrong(path, "\(fault)")
  }

  /// - Throws: `AppleStoreError.wrongModel` where models are given and none is the store's own.
  static func check(
    _ given: [ManagedObjectModel], haveModelOf path: String, _ own: ManagedObjectModel
  ) throws(AppleStoreError) {
    var refusal: AppleStoreError?
    for model in given.reversed() {
      do throws(AppleStoreError) {
        return try check(model, isModelOf: path, own)
      } catch {
        refusal = refusal ?? error
      }
    }
    if let refusal { throw refusal }
  }

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
      "the model is not the one of \(path): \(reason); give the version that wrote the store")
  }

  private static func form(_ property: PropertyDescription) -> [String] {
    switch property {
    case .attribute(let attribute): [attribute.type.rawValue]
    case .relationship(let relationship):
      [relationship.destination.name, "\(relationship.isToMany)", "\(relationship.isOrdered)"]
    }
  }
}
