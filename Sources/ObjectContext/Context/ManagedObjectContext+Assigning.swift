public import StoreContract

extension ManagedObjectContext {
  /// Says in which store a new object is to be saved. Each entity has one store in a coordinator, by its configuration,
  /// so this only checks that it is the one meant.
  /// - Throws: `configuration` when the store has not the object's entity.
  public func assign(_ object: ManagedObject, to store: any IncrementalStore) throws {
    guard try persistentStoreCoordinator.persistentStore(for: object.entity) === store else {
      throw ContextError(
        .configuration,
        "the store has no \(object.entity.name): its configuration leaves it to another store of the coordinator"
      )
    }
  }
}
