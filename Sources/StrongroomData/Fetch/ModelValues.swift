import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract

/// What a container's schema and stores say of the values in a predicate.
struct ModelValues: PredicateValues {
  /// Nil where conditions are only compared.
  let core: ContainerCore?

  private func property(_ keyPath: AnyKeyPath, _ type: Any.Type) -> PropertySchema? {
    guard let model = type as? any PersistentModel.Type else { return nil }
    let shape = ModelSchema.of(model)
    guard let names = shape.path(of: keyPath), names.count == 1 else { return nil }
    return shape.properties.first { $0.name == names[0] }
  }

  func isJSON(_ keyPath: AnyKeyPath, of type: Any.Type) -> Bool {
    !isTransformed(keyPath, of: type)
  }

  func isTransformed(_ keyPath: AnyKeyPath, of type: Any.Type) -> Bool {
    property(keyPath, type)?.attribute?.isTransformable == true
  }

  func isOrdered(_ keyPath: AnyKeyPath, of type: Any.Type) -> Bool {
    if case .attribute(.transformable, _)? = property(keyPath, type)?.kind { false } else { true }
  }

  /// Only what is stored as bytes has another form than its own.
  func stored(_ value: Any, as keyPath: AnyKeyPath, of type: Any.Type) -> AttributeValue? {
    guard let property = property(keyPath, type), case .attribute(.transformable, _) = property.kind else {
      return nil
    }
    func open<Value>(_ type: Value.Type) -> AttributeValue? {
      (value as? Value).map { property.coding(of: Value.self).encode($0) }
    }
    return _openExistential(property.valueType, do: open)
  }

  func reference(_ value: Any, among type: Any.Type) -> Int64? {
    guard let model = type as? any PersistentModel.Type else { return nil }
    guard let core else { return Self.number(value) }
    guard let entity = core.entity(of: model) else { return nil }
    switch value {
    case let identifier as PersistentIdentifier:
      let root = core.engine.managedObjectModel.entity(named: identifier.entityName)?.root
      guard root === entity.root else { return 0 }
      if identifier.isTemporary { return identifier.reference }
      let own = try? core.engine.persistentStoreCoordinator.persistentStore(for: entity).storeEntities[
        entity.index]
      return own.flatMap { identifier.objectID(in: $0)?.reference } ?? 0
    case let model as any PersistentModel:
      let id = model._$object.objectID
      guard core.entity(of: Swift.type(of: model))?.root === entity.root else { return 0 }
      return reference(id.reference, id.storeIdentifier, entity, core)
    default: return nil
    }
  }

  /// A number says nothing outside of its store and root entity.
  ///
  /// Those of new models are no others'.
  private func reference(
    _ number: Int64, _ store: UUID?, _ entity: EntityDescription, _ core: ContainerCore
  ) -> Int64 {
    if number < 0 { return number }
    let own = try? core.engine.persistentStoreCoordinator.persistentStore(for: entity).storeEntities[
      entity.index]
    return own?.storeIdentifier == store ? number : 0
  }

  /// Tells one model from another one, in this run of the program.
  private static func number(_ value: Any) -> Int64? {
    switch value {
    case let identifier as PersistentIdentifier: Int64(identifier.hashValue)
    case let model as any PersistentModel: Int64(model.persistentModelID.hashValue)
    default: nil
    }
  }

  func json(_ value: any Encodable) -> Data? { try? CodableCoding.data(value) }
}
