public import ObjectContext

extension ModelContainer {
  /// The engine's container: its coordinator, its stores, and contexts in which the models are
  /// `ManagedObject`s of entities with the names of their classes.
  ///
  /// For what the typed layer lacks: batches, predicate formats, query plans, metadata. Import
  /// `Strongroom` beside this module for the types. Save through one layer at a time: a
  /// `ModelContext` sees what an engine's context saves as it sees saves of another `ModelContext`.
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
    return shown(object) as? T
  }
}

extension PersistentModel {
  /// The engine's object that holds the model's values.
  public var managedObject: ManagedObject { _$object }
}
