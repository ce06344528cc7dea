import Locks
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract

/// The stores of a schema, open, and the contexts on them.
///
/// Sendable.
public final class ModelContainer: Sendable {
  let core: ContainerCore
  // nonisolated(unsafe): used on the main actor only, and handed over to it at the end.
  private nonisolated(unsafe) var main: ModelContext?

  /// The schema.
  public var schema: Schema { core.schema }
  /// The plan by which older stores are brought up to the schema.
  public var migrationPlan: (any SchemaMigrationPlan.Type)? { core.plan as? any SchemaMigrationPlan.Type }
  /// Where and how the stores are saved.
  ///
  /// Setting it changes what is said here, and no store that is open.
  public var configurations: Set<ModelConfiguration> {
    get { givenConfigurations.withLock { $0 } ?? Set(core.configurations) }
    set { givenConfigurations.withLock { $0 = newValue } }
  }
  private let givenConfigurations = Locked<Set<ModelConfiguration>?>(nil)

  /// Opens the stores of a schema, or makes them.
  ///
  /// Blocks until they are open. About ten statements a store that is there and is as the schema
  /// says; one more for each table and index that is made, and what a migration takes.
  /// - Throws: `SwiftDataError`: `unknownSchema` for classes that make no schema,
  ///   `duplicateConfiguration` and others for configurations, `unsupportedMigration`, and
  ///   `loadIssueModelContainer` with the store's own error as its `cause`.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    self.init(
      try ContainerCore(givenSchema, configurations, plan: migrationPlan) { configuration, schema in
        guard let migrationPlan else { return false }
        return try MigrationRun(migrationPlan, configuration).run(to: schema)
      })
  }

  /// Opens the stores of a schema, or makes them; as with a list of configurations.
  /// - Throws: as that.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of classes, or makes them; as with a schema.
  /// - Throws: as that.
  public convenience init(
    for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of a schema, or makes them, with configurations of any kind: `ModelConfiguration`s,
  /// and those of a program's own `DataStore`s.
  ///
  /// - Throws: as with a list of configurations; `loadIssueModelContainer` with what a store's initialiser
  ///   throws.
  @_disfavoredOverload
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [any DataStoreConfiguration]
  ) throws {
    let own = configurations.compactMap { $0 as? ModelConfiguration }
    let custom = configurations.filter { !($0 is ModelConfiguration) }
    self.init(
      try ContainerCore(givenSchema, own, custom: custom, plan: migrationPlan) { configuration, schema in
        guard let migrationPlan else { return false }
        return try MigrationRun(migrationPlan, configuration).run(to: schema)
      })
  }

  /// Opens the stores of a schema, or makes them; as with a list of configurations of any kind.
  @_disfavoredOverload
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of classes, or makes them; as with a schema and configurations of any kind.
  @_disfavoredOverload
  public convenience init(
    for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
  }

  init(_ core: ContainerCore) {
    self.core = core
    core.container.withLock { $0.container = self }
    RemoteChangePosts.add(self)
  }

  /// The container of open stores; made again where only its contexts are left.
  static func of(_ core: ContainerCore) -> ModelContainer {
    let known = core.container.withLock { ContainerCore.WeakContainer(container: $0.container) }.container
    if let known = known as? ModelContainer { return known }
    return ModelContainer(core)
  }

  deinit {
    // On the main actor it is released at once, so that a store closed there can be opened again.
    if MainQueue.isCurrent { return }
    nonisolated(unsafe) let context = main
    if context != nil { Task { @MainActor in withExtendedLifetime(context) {} } }
  }

  /// The context of the main actor, which saves by itself, and takes in at once what others save.
  ///
  /// Made when first asked for.
  @MainActor public var mainContext: ModelContext {
    if let main { return main }
    let context = ModelContext(core, core.engine.viewContext)
    context.engine.automaticallyMergesChangesFromParent = true
    context.autosaveEnabled = true
    main = context
    return context
  }

  /// Deletes all models of all stores, where possible; `erase()` throws what prevents it.
  ///
  /// Models in memory become deleted.
  public func deleteAllData() { try? erase() }

  /// Deletes all models of all stores, each class in a transaction of its own.
  ///
  /// Models in memory become deleted. A statement or more for each class. A program's own store is asked to
  /// erase itself at the end.
  /// - Throws: `StoreError`, also where models deny each other's deletion.
  public func erase() throws {
    let context = ManagedObjectContext(core.engine.persistentStoreCoordinator, isolation: nil)
    var left = core.engine.managedObjectModel.entities.filter { $0.root === $0 }
    while !left.isEmpty {
      var denied: [(EntityDescription, any Error)] = []
      for entity in left {
        do { try context.batchDelete(FetchRequest(entity.name)) } catch let error as StoreError
          where error.code == .denied
        { denied.append((entity, error)) }
      }
      if denied.count == left.count, let first = denied.first { throw first.1 }
      left = denied.map(\.0)
    }
    for store in core.customStores {
      do { try store.withLock { try store.dataStore.erase() } } catch DataStoreError.unsupportedFeature {
        // It has no models any more, which is all that it can do.
      }
    }
  }
}

extension ModelContainer: Hashable {
  /// Identity.
  public static func == (left: ModelContainer, right: ModelContainer) -> Bool { left.core === right.core }
  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(core)) }
}
