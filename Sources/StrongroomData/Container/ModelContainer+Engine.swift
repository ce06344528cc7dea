public import ObjectContext

extension ModelContainer {
  /// The container of the engine beneath: its coordinator, its stores, and contexts in which the
  /// models are `ManagedObject`s of entities with the names of their classes.
  ///
  /// For what the typed layer has no words for: batches, format text, explained queries, metadata.
  /// `import Strongroom` beside this module for the types. Save through one layer at a time: a
  /// `ModelContext` sees what is saved beneath it as it sees another context's.
  public var persistentContainer: PersistentContainer { core.engine }
}

extension ModelContext {
  /// The engine's context that this one shows.
  ///
  /// What is changed in it is this context's change.
  public var managedObjectContext: ManagedObjectContext {
    adoptWaiting()
    return engine
  }

  /// The model that shows an object of this context; nil where it is of another context or class.
  ///
  /// Issues no statement.
  public func model<T: PersistentModel>(for object: ManagedObject, as type: T.Type = T.self) -> T? {
    adoptWaiting()
    guard object.managedObjectContext === engine else { return nil }
    return show(object, as: core.types[object.entity.index]) as? T
  }
}

extension PersistentModel {
  /// The engine's object that holds the model's values.
  public var managedObject: ManagedObject { _$object }
}
