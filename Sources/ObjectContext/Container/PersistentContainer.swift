public import ObjectModel
public import StoreContract

/// A model, its coordinator, its store and a context for the main actor, in one.
public final class PersistentContainer: Sendable {
  /// The container's name.
  public let name: String
  /// The coordinator.
  public let persistentStoreCoordinator: PersistentStoreCoordinator
  /// Where and how the stores are opened.
  public let persistentStoreDescriptions: [PersistentStoreDescription]
  /// The first store's.
  public var persistentStoreDescription: PersistentStoreDescription { persistentStoreDescriptions[0] }

  /// Makes a container; `loadPersistentStores()` opens its store.
  public init(
    name: String, managedObjectModel: ManagedObjectModel,
    persistentStoreDescription: PersistentStoreDescription
  ) {
    self.name = name
    persistentStoreDescriptions = [persistentStoreDescription]
    persistentStoreCoordinator = PersistentStoreCoordinator(managedObjectModel: managedObjectModel)
  }

  /// Makes a container of several stores, each with the entities of its description's
  /// `configuration`.
  /// - Precondition: There is one description at least.
  public init(
    name: String, managedObjectModel: ManagedObjectModel,
    persistentStoreDescriptions: [PersistentStoreDescription]
  ) {
    precondition(!persistentStoreDescriptions.isEmpty, "a container needs a store")
    self.name = name
    self.persistentStoreDescriptions = persistentStoreDescriptions
    persistentStoreCoordinator = PersistentStoreCoordinator(managedObjectModel: managedObjectModel)
  }

  /// The model.
  public var managedObjectModel: ManagedObjectModel { persistentStoreCoordinator.managedObjectModel }

  /// Opens the stores, or makes them when their descriptions allow.
  ///
  /// About ten statements an encrypted store that is there, and one more for each table and index
  /// that is made.
  /// - Throws: `StoreError`, `ContextError` for configurations that do not fit, and the vaults'
  ///   errors, each saying what to do; none is open then.
  public func loadPersistentStores() async throws {
    do {
      for description in persistentStoreDescriptions {
        try await persistentStoreCoordinator.addPersistentStore(with: description)
      }
    } catch {
      if persistentStoreDescriptions.count > 1 { try? persistentStoreCoordinator.removePersistentStores() }
      throw error
    }
  }

  /// What `loadPersistentStores()` would do to files that were made with another version of the
  /// model, in the order of the descriptions.
  ///
  /// Nothing is changed. The statements are those of `SQLCipherStore.migrationForecast(for:to:)`.
  /// - Throws: As `PersistentStoreCoordinator.migrationForecast(for:)`.
  public func migrationForecasts() async throws -> [MigrationForecast] {
    var forecasts: [MigrationForecast] = []
    for description in persistentStoreDescriptions {
      forecasts.append(try await persistentStoreCoordinator.migrationForecast(for: description))
    }
    return forecasts
  }

  /// The same by the stages or the mapping models that the descriptions have.
  ///
  /// - Throws: As `PersistentStoreCoordinator.stagedMigrationForecast(for:)`.
  public func stagedMigrationForecasts() async throws -> [StagedMigrationForecast] {
    var forecasts: [StagedMigrationForecast] = []
    for description in persistentStoreDescriptions {
      forecasts.append(try await persistentStoreCoordinator.stagedMigrationForecast(for: description))
    }
    return forecasts
  }

  /// Closes the stores.
  ///
  /// Issues no statement on rows.
  /// - Throws: whatever the store throws.
  public func close() throws { try persistentStoreCoordinator.removePersistentStores() }

  /// A new context, for the isolation that calls.
  ///
  /// Make one for each task; keep one on the main actor for what is shown.
  ///
  /// - Parameter isolation: The actor that it is used on; debug builds stop uses elsewhere. Nil
  ///   where no actor runs.
  /// - Returns: A context on the container's coordinator.
  public func newContext(isolation: (any Actor)? = #isolation) -> ManagedObjectContext {
    ManagedObjectContext(persistentStoreCoordinator, isolation: isolation)
  }

  // nonisolated(unsafe): used on the main actor only, and handed over to it at the end.
  private nonisolated(unsafe) var mainContext: ManagedObjectContext?

  deinit {
    // On the main actor it is released at once, so that who closes a store there can open it
    // again.
    if MainQueue.isCurrent { return }
    nonisolated(unsafe) let context = mainContext
    if context != nil { Task { @MainActor in withExtendedLifetime(context) {} } }
  }

  /// The context for what is shown, on the main actor; made when first asked for.
  ///
  /// Where its `automaticallyMergesChangesFromParent` is set, it takes in what others save at once.
  /// Events end by themselves.
  @MainActor public var viewContext: ManagedObjectContext {
    if let mainContext { return mainContext }
    let context = ManagedObjectContext(persistentStoreCoordinator, endingEventsOn: MainActor.shared)
    context.name = "viewContext"
    mainContext = context
    return context
  }

  /// A context that belongs to no actor, to be used from anywhere by its `perform`.
  public func newBackgroundContext(name: String? = nil) -> BackgroundContext {
    BackgroundContext(persistentStoreCoordinator, name: name)
  }

  /// Runs work on a context of its own off the calling actor.
  /// - Throws: what the work throws.
  public func performBackgroundTask<R: Sendable>(
    _ body: @Sendable (ManagedObjectContext) throws -> R
  ) async throws -> R {
    try await Self.concurrently { try body(self.newContext(isolation: nil)) }
  }

  @concurrent
  private static func concurrently<R: Sendable>(_ body: @Sendable () throws -> R) async throws -> R {
    try body()
  }
}
