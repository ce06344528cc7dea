import ObjectModel
public import StoreContract

extension ManagedObjectContext {
  /// Makes a new object of an entity, with its default values.
  ///
  /// Issues no statement.
  /// - Throws: `unknownKey`, or `abstractEntity`.
  @discardableResult
  public func insert(_ entityName: String) throws -> ManagedObject {
    #if DEBUG
      graph.isolation.check { "a context" }
    #endif
    guard let entity = graph.model.entity(named: entityName) else {
      throw ContextError(.unknownKey, "the model has no entity \(entityName)")
    }
    guard !entity.isAbstract else {
      throw ContextError(.abstractEntity, "\(entityName) is abstract; insert one of its subentities")
    }
    let object = graph.make(
      graph.temporaryEntities[entity.index], ManagedObjectID.nextTemporaryReference(), nil, nil)
    object.changes = ObjectChanges(defaultsOf: entity, isWatched: graph.notifications.isWatched)
    graph.insert(object)
    return object
  }

  /// Makes a new object of the entity that a class is registered for.
  /// - Throws: as `insert(_:)`.
  @discardableResult
  public func insert<T: ManagedObject>(_ type: T.Type) throws -> T {
    let entity = try graph.entity(for: type)
    guard let object = try insert(entity.name) as? T else {
      throw ContextError(.unknownKey, "\(T.self) is not registered for \(entity.name)")
    }
    return object
  }

  /// Checks in which store a new object is saved.
  ///
  /// Each entity has one store in a coordinator, by its configuration, so there is nothing to choose.
  /// - Throws: `configuration` when another store than the one given has the object's entity.
  public func assign(_ object: ManagedObject, to store: any IncrementalStore) throws {
    guard try persistentStoreCoordinator.persistentStore(for: object.entity) === store else {
      throw ContextError(
        .configuration, "another store of the coordinator has the entity \(object.entity.name)")
    }
  }

  /// Gives new objects their permanent IDs ahead of the save, with a statement or two.
  /// - Throws: `StoreError` when the store cannot give any.
  public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
    try graph.saving.obtainPermanentIDs(for: objects)
  }

  /// The object of an ID, as a fault if it is not registered; it need not exist.
  ///
  /// Issues no statement.
  /// - Throws: `objectOfAnotherContext` for a temporary ID of another context, or of another store.
  public func object(with id: ManagedObjectID) throws -> ManagedObject { try graph.faulting.object(with: id) }

  /// The objects of many IDs, in their order; unregistered ones as faults that fire with one statement.
  ///
  /// They need not exist. Issues no statement.
  /// - Throws: as `object(with:)`.
  public func objects(with ids: [ManagedObjectID]) throws -> [ManagedObject] {
    try graph.faulting.objects(with: ids)
  }

  /// The object of an ID with its row read.
  ///
  /// One statement when it is not registered.
  /// - Throws: `objectNotFound` when the store has no such object.
  public func existingObject(with id: ManagedObjectID) throws -> ManagedObject {
    try graph.faulting.existingObject(with: id)
  }

  /// The registered object of an ID.
  ///
  /// Issues no statement.
  public func registeredObject(for id: ManagedObjectID) -> ManagedObject? { graph.registeredObject(for: id) }

  /// Reads an object again.
  ///
  /// Without merging, its changes are discarded, in inverses too, and it turns into a fault. What belongs to
  /// the changes of other objects stays, such as a new member of one of its lists or the deletion of its
  /// partner; its row is read then (one statement). With merging, its row is read now (one statement) and
  /// its changes stay; an unchanged object whose row was deleted turns deleted and keeps its values, a
  /// changed one stays, and saving it is a conflict.
  /// - Throws: `objectNotFound` when merging a deleted row and inaccessible faults stay; what reading the
  ///   inverses throws.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
    try graph.faulting.refresh(object, mergeChanges: mergeChanges)
  }

  /// Turns every unchanged object into a fault: the next read of each reads what is stored then.
  public func refreshAllObjects() { graph.faulting.refreshAllObjects() }

  /// Makes the next save check that an object, though unchanged, is stored as it was read here.
  ///
  /// Its row is read if it was not yet, with one statement for its batch.
  /// - Throws: `objectNotFound` when the object's row was deleted.
  public func detectConflicts(for object: ManagedObject) throws {
    try graph.saving.detectConflicts(for: object)
  }

  /// Marks an object for deletion by the next save, and follows its delete rules at once.
  ///
  /// Nullified relationships are emptied, cascades delete their destinations, unidirectional to-ones that
  /// referenced it become null; `deny` is checked by the save. A new object is removed. A statement per
  /// relationship of the object's batch, and one for each unidirectional to-one that may reference it.
  /// - Throws: when the object's row or relationships cannot be read.
  public func delete(_ object: ManagedObject) throws { try graph.deletion.delete([object], callsHooks: true) }

  /// Marks objects for deletion as `delete(_:)`, with one statement for all of them for each unidirectional
  /// to-one that may reference one.
  ///
  /// Those that are deleted already are left out.
  /// - Throws: when the row or the relationships of one cannot be read; those before it are deleted then.
  package func delete(_ objects: [ManagedObject]) throws {
    try graph.deletion.delete(objects, callsHooks: true)
  }
}
