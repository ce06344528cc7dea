import ObjectModel

extension PersistentStoreCoordinator {
  /// Makes contexts create objects of a class for an entity; existing contexts are unaffected.
  ///
  /// Issues no statement.
  /// - Throws: `unknownKey` when the model has no such entity.
  public func register(_ objectClass: ManagedObject.Type, for entityName: String) throws {
    guard let entity = managedObjectModel.entity(named: entityName) else {
      throw ContextError(.unknownKey, "the model has no entity \(entityName)")
    }
    registeredClasses.withLock { $0[entity.index] = objectClass }
  }

  /// The class of each entity's objects, by the entity's index.
  var objectClasses: [ManagedObject.Type] {
    var classes = [ManagedObject.Type](
      repeating: ManagedObject.self, count: managedObjectModel.entities.count)
    for (index, registered): (Int, any AnyObject.Type) in registeredClasses.withLock({ $0 }) {
      if let type = registered as? ManagedObject.Type { classes[index] = type }
    }
    return classes
  }
}

extension ObjectGraph {
  /// The entity that a class is registered for.
  func entity<T: ManagedObject>(for type: T.Type) throws -> EntityDescription {
    if let index = classes.firstIndex(where: { $0 == type && type != ManagedObject.self }) {
      return model.entities[index]
    }
    throw ContextError(
      .unknownKey, "\(T.self) is not registered for any entity; register it with the container")
  }
}
