import Foundation

/// The store of every `ModelConfiguration`: an encrypted file, a database of a server, or memory.
///
/// A container opens it by itself; made by hand it is a store that another one may be built over. Each call
/// works in a context of its own.
public final class DefaultStore: DataStore {
  /// What the store is configured with.
  public typealias Configuration = ModelConfiguration
  /// What a model looks like.
  public typealias Snapshot = DefaultSnapshot

  /// What the store was opened with.
  public let configuration: ModelConfiguration
  /// The schema.
  public let schema: Schema
  let container: ModelContainer

  /// The configuration's name.
  public var name: String { configuration.name }
  /// The store's UUID.
  public var identifier: String {
    container.core.engine.persistentStoreCoordinator.persistentStores.first?.identifier.uuidString ?? ""
  }

  /// Opens the store, or makes it; the configuration names the classes.
  /// - Throws: as the initialiser of `ModelContainer`; `SwiftDataError.unknownSchema` where the
  ///   configuration has no schema.
  public convenience init(
    _ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError(
        .unknownSchema, "a store made by hand needs the schema of its configuration; set it")
    }
    self.init(
      configuration, schema,
      try ModelContainer(for: schema, migrationPlan: migrationPlan, configurations: configuration))
  }

  private init(_ configuration: ModelConfiguration, _ schema: Schema, _ container: ModelContainer) {
    self.configuration = configuration
    self.schema = schema
    self.container = container
  }

  private func context(_ state: EditingState) -> ModelContext {
    let context = ModelContext(container)
    context.editingState = state
    return context
  }

  /// The snapshots of the models.
  ///
  /// One statement, and one for each to-many.
  /// - Throws: as `ModelContext.fetch(_:)`.
  public func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot>
  where T: PersistentModel {
    let models = try context(request.editingState).fetch(request.descriptor)
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: models.map(DefaultSnapshot.init(of:)))
  }

  /// The number of models.
  ///
  /// One statement.
  /// - Throws: as `fetch(_:)`.
  public func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
    try context(request.editingState).fetchCount(request.descriptor)
  }

  /// The identifiers of the models.
  ///
  /// One statement.
  /// - Throws: as `fetch(_:)`.
  public func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]
  where T: PersistentModel { try context(request.editingState).fetchIdentifiers(request.descriptor) }

  /// Stores all changes in one transaction.
  /// - Throws: as `ModelContext.save()`; `SwiftDataError.missingModelContext` for a model that is not there.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let context = context(request.editingState)
    let saving = SnapshotSaving(context, container.schema)
    let new = try saving.apply(request)
    let tokens = try context.saveWithTokens()
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: new.mapValues(\.persistentModelID), historyTokens: tokens)
  }

  /// Deletes everything.
  /// - Throws: as `ModelContainer.erase()`.
  public func erase() throws { try container.erase() }
}

extension DefaultStore: DataStoreBatching {
  /// Deletes models by delete rules, and saves.
  /// - Throws: as `ModelContext.delete(model:where:includeSubclasses:)` and `ModelContext.save()`.
  public func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel {
    let context = context(request.editingState)
    try context.delete(
      model: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
    try context.save()
  }
}

extension DefaultSnapshot {
  fileprivate init<Model: PersistentModel>(of model: Model) {
    func open<Own: PersistentModel>(_ model: Own) -> DefaultSnapshot {
      var none: [PersistentIdentifier: any BackingData] = [:]
      return DefaultSnapshot(from: model.persistentBackingData, relatedBackingDatas: &none)
    }
    // Of the model's own class, which may be a subclass.
    let any: any PersistentModel = model
    self = open(any)
  }
}

/// Snapshots written into a context.
private struct SnapshotSaving {
  private let context: ModelContext
  private let schema: Schema

  init(_ context: ModelContext, _ schema: Schema) {
    self.context = context
    self.schema = schema
  }

  /// - Returns: The new models, by their temporary identifiers in the request.
  func apply(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> [PersistentIdentifier: any PersistentModel] {
    var new: [PersistentIdentifier: any PersistentModel] = [:]
    for snapshot in request.inserted { new[snapshot.persistentIdentifier] = try insert(snapshot) }
    for snapshot in request.inserted + request.updated {
      try write(snapshot, to: try model(snapshot.persistentIdentifier, new), new)
    }
    for snapshot in request.deleted { context.delete(try model(snapshot.persistentIdentifier, new)) }
    return new
  }

  private func insert(_ snapshot: DefaultSnapshot) throws -> any PersistentModel {
    let name = snapshot.persistentIdentifier.entityName
    guard let type = schema.shape(named: name)?.type else {
      throw SwiftDataError(.unknownSchema, "the schema has no \(name)")
    }
    func open<Model: PersistentModel>(_ type: Model.Type) -> any PersistentModel {
      let model = Model(backingData: ModelBackingData<Model>(for: type))
      context.insert(model)
      return model
    }
    return open(type)
  }

  private func model(
    _ identifier: PersistentIdentifier, _ new: [PersistentIdentifier: any PersistentModel]
  ) throws -> any PersistentModel {
    if let model = new[identifier] { return model }
    let name = identifier.entityName
    if let type = schema.shape(named: name)?.type {
      func open<Model: PersistentModel>(_ type: Model.Type) throws -> (any PersistentModel)? {
        try context.existingModel(for: identifier, as: type)
      }
      if let model = try open(type) { return model }
    }
    throw SwiftDataError(.missingModelContext, "a \(name) that is to be saved is not in the store")
  }

  private func write(
    _ snapshot: DefaultSnapshot, to model: any PersistentModel,
    _ new: [PersistentIdentifier: any PersistentModel]
  ) throws {
    let object = model._$object
    for property in ModelSchema.of(type(of: model)).properties {
      switch snapshot.values[property.name] {
      case .attribute(let value)?:
        if object.value(property.index) != value { object.set(property.index, to: value) }
      case .toOne(let identifier)?:
        try object.setObject(
          try identifier.map { try self.model($0, new)._$object }, forKey: property.name)
      case .toMany(let identifiers?)?:
        try object.setObjects(try identifiers.map { try self.model($0, new)._$object }, forKey: property.name)
      case .toMany(nil)?, nil: break
      }
    }
  }
}
