import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
public import StoreContract

extension ModelContext {
  /// The models that a descriptor describes, with this context's unsaved changes taken into account
  /// unless it says not to.
  ///
  /// One statement, and those that prefetching needs.
  /// - Throws: `SwiftDataError`: `unsupportedPredicate`, `unsupportedSortDescriptor`,
  ///   `unsupportedKeyPath`, each naming what a store cannot be asked; `StoreError`.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    if core.hasCustomStores, let wider = try evaluated(descriptor) {
      return try evaluate(descriptor, among: fetch(wider))
    }
    let objects: [ModelObject] = try run(descriptor) { try engine.fetch($0, as: ModelObject.self) }
    return ModelObject.shown(objects, as: T.self)
  }

  /// The models of a descriptor as a collection that reads them a batch at a time, as they are
  /// looked at.
  ///
  /// One statement, and one for each batch. Leaves unsaved changes out.
  /// - Throws: as `fetch(_:)`; `includePendingChangesWithBatchSize` when the descriptor includes
  ///   them and there are some.
  public func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<T> {
    var descriptor = descriptor
    if descriptor.includePendingChanges, hasChanges {
      throw SwiftDataError(
        .includePendingChangesWithBatchSize,
        "unsaved changes cannot count in a fetch by batches; save first, or set includePendingChanges to"
          + " false"
      )
    }
    descriptor.includePendingChanges = false
    let identifiers = try fetchIdentifiers(descriptor)
    var objects: [ModelObject] = []
    objects.reserveCapacity(identifiers.count)
    let size = batchSize > 0 ? batchSize : max(identifiers.count, 1)
    for start in stride(from: 0, to: identifiers.count, by: size) {
      // Faults of one batch fire together, when the first of them is looked at.
      objects += try self.objects(Array(identifiers[start..<min(start + size, identifiers.count)]))
    }
    return FetchResultsCollection(objects)
  }

  /// How a fetch is answered: the SQL, SQLite's plan, and the indexes that would help.
  ///
  /// Ignores unsaved changes. Two statements; no row is read.
  /// - Throws: as `fetch(_:)`.
  public func queryPlan<T: PersistentModel>(for descriptor: FetchDescriptor<T>) throws -> QueryPlan {
    try run(descriptor) { try engine.queryPlan(for: $0) }
  }

  /// The number of models that a fetch would bring.
  ///
  /// One statement.
  /// - Throws: as `fetch(_:)`.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    if core.hasCustomStores, try evaluated(descriptor) != nil { return try fetch(descriptor).count }
    return try run(descriptor) { try engine.count(for: $0) }
  }

  /// The identifiers of the models that a fetch would bring; no model is made, unless there are
  /// unsaved changes.
  ///
  /// One statement. New models have temporary ones.
  /// - Throws: as `fetch(_:)`.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> [PersistentIdentifier] {
    if core.hasCustomStores, try evaluated(descriptor) != nil {
      return try fetch(descriptor).map(\.persistentModelID)
    }
    return try run(descriptor) { try engine.fetchObjectIDs($0).map { PersistentIdentifier($0) } }
  }

  /// The identifiers, as a collection in batches: they are small, so all are read at once.
  ///
  /// One statement.
  /// - Throws: as `fetchIdentifiers(_:)`.
  public func fetchIdentifiers<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int
  ) throws -> FetchResultsCollection<PersistentIdentifier> {
    FetchResultsCollection(try fetchIdentifiers(descriptor))
  }

  /// Runs through the models of a descriptor, a batch in memory at a time.
  ///
  /// One statement, and one for each batch.
  ///
  /// Models that the program does not retain are released after their batch; changed ones are
  /// retained until they are saved.
  /// - Parameters:
  ///   - fetch: Which models, and in what order.
  ///   - batchSize: How many are in memory at a time.
  ///   - allowEscapingMutations: Whether the closure may leave models changed behind a batch;
  ///     without it the context must have no changes when a batch ends.
  ///   - block: Called with each model.
  /// - Throws: as `fetch(_:)`, and what the closure throws.
  public func enumerate<T: PersistentModel>(
    _ fetch: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws {
    let identifiers = try fetchIdentifiers(fetch)
    let hadChanges = engine.hasChanges
    for start in stride(from: 0, to: identifiers.count, by: max(batchSize, 1)) {
      let page = identifiers[start..<min(start + max(batchSize, 1), identifiers.count)]
      for object in try objects(Array(page)) where !object.isDeleted {
        // One that was deleted meanwhile is left out.
        guard try engine.graph.exists(object) else { continue }
        try block(object.shown(as: T.self))
      }
      if !allowEscapingMutations, !hadChanges, engine.hasChanges {
        throw SwiftDataError(
          .invalidTransactionFetchRequest,
          "models were changed while they were enumerated, and would all stay in memory; save in the"
            + " closure, or allow"
            + " escaping mutations")
      }
    }
  }

  // MARK: One model

  /// The model of an identifier, whether it was read yet or not.
  ///
  /// It need not exist: then it turns deleted (`isDeleted`) when it is first read, and its
  /// properties are empty.
  /// - Precondition: The identifier is of this container's store, or of a new model of this
  ///   context, and of an entity whose class is known.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    adoptWaiting()
    do {
      let object = try engine.object(with: try objectID(persistentModelID))
      return show(object, as: try core.knownType(of: object.entity))
    } catch {
      preconditionFailure("no \(persistentModelID.entityName) can be had by this identifier: \(error)")
    }
  }

  /// The model of an identifier if it is here, was not deleted elsewhere and is of the type asked
  /// for.
  ///
  /// Issues no statement.
  public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
    adoptWaiting()
    guard let id = try? objectID(persistentModelID), let object = engine.registeredObject(for: id),
      !object.isDeletedInStore
    else { return nil }
    return shown(object) as? T
  }

  /// The model of an identifier, read now if it is not here; nil when the store has none.
  ///
  /// One statement at most.
  func existingModel<T: PersistentModel>(for identifier: PersistentIdentifier, as type: T.Type) throws -> T? {
    adoptWaiting()
    do {
      let object = try engine.existingObject(with: try objectID(identifier))
      return shown(object) as? T
    } catch let error as ContextError where error.code == .objectNotFound {
      return nil
    }
  }

  // MARK: Inside

  func run<T: PersistentModel, R>(
    _ descriptor: FetchDescriptor<T>, _ body: (FetchRequest) throws -> R
  ) throws -> R {
    adoptWaiting()
    let entity = try core.entity(for: T.self)
    if core.bindsClasses { presentKnownTypes() }
    let request = try descriptor.request(entity.name, in: core)
    do {
      if !core.hasCustomStores { return try body(request) }
      return try StoreCall.$current.withValue(StoreCall(editingState, descriptor, request)) {
        try body(request)
      }
    } catch let error as QueryError {
      throw SwiftDataError(.unsupportedPredicate, error.message, cause: error)
    }
  }

  /// The objects of identifiers, as faults that fire together.
  func objects(_ identifiers: [PersistentIdentifier]) throws -> [ModelObject] {
    try engine.objects(with: try identifiers.map(objectID)).map { unsafeDowncast($0, to: ModelObject.self) }
  }

  private func objectID(_ identifier: PersistentIdentifier) throws -> ManagedObjectID {
    guard let entity = core.engine.managedObjectModel.entity(named: identifier.entityName) else {
      throw SwiftDataError(.unknownSchema, "the schema has no \(identifier.entityName)")
    }
    if identifier.isTemporary {
      if let id = engine.insertedObjects.first(where: { $0.objectID.reference == identifier.reference })?
        .objectID
      {
        return id
      }
    } else if let own = try? core.engine.persistentStoreCoordinator.persistentStore(for: entity)
      .storeEntities[entity.index],
      let id = identifier.objectID(in: own)
    {
      return id
    }
    throw SwiftDataError(
      .missingModelContext,
      "an identifier of another store, or of a new model of another context, was given; save first, and use"
        + " the same"
        + " container")
  }
}
